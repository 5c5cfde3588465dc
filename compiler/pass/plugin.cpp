// SPDX-License-Identifier: Apache-2.0
// What clang and opt of LLVM 19 look for in the plugin. Called when they load it:
//   clang-19 -fopenmp -O3 -fpass-plugin=heddle-tasks.so ...
//   opt-19 -load-pass-plugin=heddle-tasks.so -passes=heddle-mark,... ,heddle-expand ...
// -mllvm -heddle-no-task-pass switches it off; clang reads that only if -fplugin= names it too.
#include "task_pass.hpp"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>

using namespace llvm;

static cl::opt<bool> no_task_pass("heddle-no-task-pass",
                                  cl::desc("Leave OpenMP's task constructs as they are"));

static void register_pass(PassBuilder& builder) {
    builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel level) {
        if (level != OptimizationLevel::O0 && !no_task_pass)
            passes.addPass(heddle::pass::MarkPass());
    });
    builder.registerOptimizerLastEPCallback([](ModulePassManager& passes, OptimizationLevel level) {
        if (level != OptimizationLevel::O0 && !no_task_pass)
            passes.addPass(heddle::pass::ExpandPass());
    });
    builder.registerPipelineParsingCallback(
        [](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
            if (name == "heddle-mark")
                passes.addPass(heddle::pass::MarkPass());
            else if (name == "heddle-expand")
                passes.addPass(heddle::pass::ExpandPass());
            return name == "heddle-mark" || name == "heddle-expand";
        });
}

extern "C" [[gnu::visibility("default")]] PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "heddle-tasks", HEDDLE_VERSION, register_pass};
}
