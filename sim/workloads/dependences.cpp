// SPDX-License-Identifier: Apache-2.0
// Tasks that one thread creates, as bench/dependences has them: chains, whose links are created in
// turn, a wavefront over a square, whose cells wait for the one above and the one to the left, and
// taskloops of `length` iterations, a task each. A task charges `cycles` and proves that it came
// after its predecessors.
#include "workloads/workload.hpp"

#include <algorithm>

namespace heddle::sim {

namespace {

uint64_t task_cycles;

void extend(uint32_t* chain, uint32_t turn) {
    charge_cycles(task_cycles);
    *chain = *chain == turn ? turn + 1 : ~0u; // stays wrong
}

void make_chains(std::vector<uint32_t>& chains, uint32_t links) {
    for (uint32_t turn = 0; turn < links; ++turn)
        for (size_t i = 0; i < chains.size(); ++i) {
            uint32_t* chain = &chains[i];
#pragma omp task depend(inout : chain[0]) firstprivate(chain, turn)
            extend(chain, turn);
        }
}

/// How long the longest way to the cell is; too short if it comes before a neighbour.
void fill(uint32_t* cell, const uint32_t* up, const uint32_t* left) {
    charge_cycles(task_cycles);
    *cell = std::max(*up, *left) + 1;
}

void make_wavefront(std::vector<uint32_t>& cells, size_t side) {
    for (size_t row = 1; row <= side; ++row)
        for (size_t column = 1; column <= side; ++column) {
            uint32_t* cell = &cells[row * (side + 1) + column];
            const uint32_t *up = cell - (side + 1), *left = cell - 1;
#pragma omp task depend(in : up[0], left[0]) depend(out : cell[0]) firstprivate(cell, up, left)
            fill(cell, up, left);
        }
}

/// Loops of `length` tasks, one after another: a taskloop ends when its tasks have.
void make_taskloops(std::vector<uint32_t>& cells, size_t length) {
    uint32_t* const cell = cells.data();
    const size_t size = cells.size();
    for (size_t first = 0; first < size; first += length)
#pragma omp taskloop grainsize(1)
        for (size_t i = first; i < std::min(first + length, size); ++i) {
            charge_cycles(task_cycles);
            cell[i] += 1 + (first > 0 && cell[first - 1] != 1); // the loop before is over
        }
}

bool chains_are_right(const std::vector<uint32_t>& chains, uint32_t links) {
    return std::all_of(chains.begin(), chains.end(), [links](uint32_t c) { return c == links; });
}

bool wavefront_is_right(const std::vector<uint32_t>& cells, size_t side) {
    for (size_t row = 1; row <= side; ++row)
        for (size_t column = 1; column <= side; ++column)
            if (cells[row * (side + 1) + column] != row + column - 1)
                return false;
    return true;
}

Outcome run(Parameters& parameters, int) {
    const std::string form = parameters.choice("form", {"wavefront", "chains", "taskloop"});
    const auto side = static_cast<size_t>(parameters.integer("side", 60, 1, 10000));
    const auto length = static_cast<size_t>(parameters.integer("length", 64, 1, 1000000));
    task_cycles = static_cast<uint64_t>(parameters.integer("cycles", 10, 0, 100000000));
    parameters.refuse_unknown();
    const bool is_wavefront = form == "wavefront", is_chains = form == "chains";
    const size_t size = is_wavefront ? (side + 1) * (side + 1) : is_chains ? side : side * side;
    std::vector<uint32_t> cells(size, 0);
    const auto links = static_cast<uint32_t>(side);
    Outcome outcome;
    start_team();
    outcome.seconds = timed([&] {
#pragma omp parallel
#pragma omp single
        if (is_wavefront)
            make_wavefront(cells, side);
        else if (is_chains)
            make_chains(cells, links);
        else
            make_taskloops(cells, length);
    });
    outcome.checked = is_wavefront ? wavefront_is_right(cells, side)
                                   : chains_are_right(cells, is_chains ? links : 1);
    outcome.answer = std::to_string(cells.back());
    outcome.figures["ns_per_task"] = 1e9 * outcome.seconds / static_cast<double>(side * side);
    return outcome;
}

const Registration registration{
    "dependences",
    "tasks of one creator, side squared: form (wavefront, chains, taskloop), side, length (of a "
    "taskloop), cycles",
    run};

} // namespace

} // namespace heddle::sim
