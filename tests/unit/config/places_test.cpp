// SPDX-License-Identifier: Apache-2.0
// The grammars of OMP_PLACES and GOMP_CPU_AFFINITY, and which of the variables counts.
#include "config/places.hpp"

#include "environment.hpp"

namespace heddle::config {
namespace {

std::string shown(const CpuSet& place) {
    std::string text;
    for (int cpu = place.next(0); cpu >= 0; cpu = place.next(cpu + 1))
        text += (text.empty() ? "" : ",") + std::to_string(cpu);
    return "{" + text + "}";
}

/// The listed places, `{0,1}{2}`; "bad" for a value that is not valid.
std::string listed(std::string_view text) {
    PlaceRequest request;
    PlaceList list;
    if (!parse_places(text, request, list))
        return "bad";
    std::string all;
    for (int i = 0; i < list.count(); ++i)
        all += shown(list[i]);
    return request.unit == PlaceUnit::listed ? all : "abstract";
}

TEST(Places, Lists) {
    EXPECT_EQ(listed("{0}"), "{0}");
    EXPECT_EQ(listed(" { 0 , 1 } , { 2 } "), "{0,1}{2}");
    EXPECT_EQ(listed("{0:4}:3:4"), "{0,1,2,3}{4,5,6,7}{8,9,10,11}");
    EXPECT_EQ(listed("{0:4:2}"), "{0,2,4,6}");
    EXPECT_EQ(listed("{6:3:-2}:2:-1"), "{2,4,6}{1,3,5}");
    EXPECT_EQ(listed("{0}:3"), "{0}{1}{2}");
    EXPECT_EQ(listed("3,1:2,7:2:-2"), "{3}{1}{2}{7}{5}");
    EXPECT_EQ(listed("{0,1}:2:0"), "{0,1}{0,1}");
    EXPECT_EQ(listed("{+1}:2:+1"), "{1}{2}");
}

TEST(Places, Exclusion) {
    EXPECT_EQ(listed("{0:8,!3,!5}"), "{0,1,2,4,6,7}");
    EXPECT_EQ(listed("{!3,0:8}"), "{0,1,2,4,5,6,7}"); // in a place the order does not matter
    EXPECT_EQ(listed("{6,7}:4:-2,!{2,3}"), "{6,7}{4,5}{0,1}");
    EXPECT_EQ(listed("{0},{1},{0},!{0}"), "{1}{0}"); // the first that is equal
    EXPECT_EQ(listed("1,2,{2,3,!2},3,3,!3,!{5:3:-1,!4,!5},{4},5,!4,!5,1:2,!{1},!2,7:3:-2,!{5},!7,"
                     "!3"),
              "{1}{2}{3}");
    EXPECT_EQ(listed("{0,!1}"), "bad");
    EXPECT_EQ(listed("{0},!{1}"), "bad");
    EXPECT_EQ(listed("!{0},{0}"), "bad");
    EXPECT_EQ(listed("{0},!{0}"), "bad"); // nothing is left
    EXPECT_EQ(listed("{0:4},!{0:4}:2"), "bad");
}

TEST(Places, BadLists) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "}",
                             "{}",
                             "{0",
                             "0}",
                             "{0},",
                             ",{0}",
                             "{0}{1}",
                             "{0}:",
                             "{0}:0",
                             "{0}:-1",
                             "{0}:2:",
                             "{0}:2:x",
                             "{0:0}",
                             "{0:2:3:4}",
                             "{0}:1:1:1",
                             "{-1}",
                             "{0-3}",
                             "!",
                             "{!0}",
                             "{0}x",
                             "{0},x",
                             "{0}:2:-1",
                             "{1:3:-1}",
                             "{8192}",
                             "{8191}:2",
                             "{99999999999999999999}",
                             "{0}:99999999999999999999",
                             "{0}:8193",
                             "{{0}}",
                             "{0},cores"})
        EXPECT_EQ(listed(text), "bad") << text;
}

TEST(Places, NumbersUpToTheLast) {
    EXPECT_EQ(listed("{8191}"), "{8191}");
    EXPECT_EQ(listed("{8190}:2"), "{8190}{8191}");
    PlaceRequest request;
    PlaceList list;
    EXPECT_TRUE(parse_places("{0}:8192", request, list));
    EXPECT_EQ(list.count(), 8192);
    list.clear();
    EXPECT_FALSE(parse_places("{0}:8192,{0}", request, list));
}

TEST(Places, AbstractNames) {
    PlaceRequest request;
    PlaceList list;
    ASSERT_TRUE(parse_places("threads", request, list));
    EXPECT_EQ(request.unit, PlaceUnit::threads);
    EXPECT_EQ(request.limit, PlaceList::longest);
    ASSERT_TRUE(parse_places(" Sockets ( 2 ) ", request, list));
    EXPECT_EQ(request.unit, PlaceUnit::sockets);
    EXPECT_EQ(request.limit, 2);
    ASSERT_TRUE(parse_places("ll_caches(99999999999999999999)", request, list));
    EXPECT_EQ(request.unit, PlaceUnit::ll_caches);
    EXPECT_EQ(request.limit, PlaceList::longest);
    ASSERT_TRUE(parse_places("numa_domains", request, list));
    EXPECT_EQ(request.unit, PlaceUnit::numa_domains);
    ASSERT_TRUE(parse_places("cores(1)", request, list));
    EXPECT_EQ(request.unit, PlaceUnit::cores);
    for (const char* text : {"core", "threads(", "threads()", "threads(0)", "threads(-1)",
                             "threads(2", "threads(2)x", "threads 2", "cores,{0}", "cores:2"})
        EXPECT_FALSE(parse_places(text, request, list)) << text;
    EXPECT_EQ(list.count(), 0);
}

std::string affinity(std::string_view text) {
    PlaceList list;
    if (!parse_cpu_affinity(text, list))
        return "bad";
    std::string all;
    for (int i = 0; i < list.count(); ++i)
        all += shown(list[i]);
    return all;
}

TEST(Places, CpuAffinity) {
    EXPECT_EQ(affinity("0 3 1-2 4-15:2"), "{0}{3}{1}{2}{4}{6}{8}{10}{12}{14}");
    EXPECT_EQ(affinity("3,1, 2"), "{3}{1}{2}");
    EXPECT_EQ(affinity(" 5 "), "{5}");
    for (const char* text : {"", "x", "1-", "2-1", "1-3:0", "1:2", "1,,2", "8192", "{0}", "1;2"})
        EXPECT_EQ(affinity(text), "bad") << text;
}

Settings settings_of(const test::Values& values) { return test::read(values).reading.settings; }

TEST(Places, ThatTheVariablesAskForBinding) {
    const Settings none = settings_of({});
    EXPECT_EQ(none.initial.bind, ProcBind::false_);
    EXPECT_FALSE(none.places_or_display);
    const Settings places = settings_of({{"OMP_PLACES", "cores"}, {"GOMP_CPU_AFFINITY", "0"}});
    EXPECT_EQ(places.initial.bind, ProcBind::true_);
    EXPECT_EQ(places.place_source, PlaceSource::omp_places);
    EXPECT_EQ(places.places_text, "cores");
    EXPECT_TRUE(places.places_or_display);
    const Settings gomp = settings_of({{"GOMP_CPU_AFFINITY", "1 0"}});
    EXPECT_EQ(gomp.initial.bind, ProcBind::true_);
    EXPECT_EQ(gomp.place_source, PlaceSource::gomp_cpu_affinity);
    const Settings off = settings_of({{"OMP_PLACES", "cores"}, {"OMP_PROC_BIND", "false"}});
    EXPECT_EQ(off.initial.bind, ProcBind::false_);
    EXPECT_EQ(off.place_source, PlaceSource::none);
    EXPECT_FALSE(off.places_or_display);
    const Settings bind = settings_of({{"OMP_PROC_BIND", "spread,close"}});
    EXPECT_EQ(bind.initial.bind, ProcBind::spread);
    EXPECT_EQ(bind.place_source, PlaceSource::none);
    EXPECT_TRUE(bind.places_or_display);
    EXPECT_TRUE(settings_of({{"OMP_DISPLAY_AFFINITY", "true"}}).places_or_display);
}

TEST(Places, ABadValueIsOneLine) {
    const test::Outcome bad = test::read({{"OMP_PLACES", "{0"}, {"GOMP_CPU_AFFINITY", "1"}});
    EXPECT_EQ(bad.errors.find("heddle: OMP_PLACES: bad value '{0': expected "), 0u) << bad.errors;
    EXPECT_EQ(std::count(bad.errors.begin(), bad.errors.end(), '\n'), 1);
    EXPECT_EQ(bad.reading.settings.place_source, PlaceSource::gomp_cpu_affinity);
    const test::Outcome both = test::read({{"OMP_PLACES", "x"}, {"OMP_PROC_BIND", "close"}});
    EXPECT_EQ(both.reading.settings.initial.bind, ProcBind::close);
    EXPECT_EQ(both.reading.settings.place_source, PlaceSource::none); // which means cores
}

TEST(Places, ListsOfAnyLength) {
    std::string list, places;
    for (int cpu = 0; cpu < CpuSet::capacity; ++cpu) {
        list += (cpu == 0 ? "" : ",") + std::to_string(cpu);
        places += (cpu == 0 ? "{" : ",{") + std::to_string(cpu) + "}";
    }
    for (const auto& [name, text] :
         {std::pair("OMP_PLACES", places), std::pair("GOMP_CPU_AFFINITY", list)})
        EXPECT_EQ(settings_of({{name, text}}).places_text, text) << name;
    const test::Outcome kmp = test::read({{"KMP_AFFINITY", "explicit,proclist=[" + list + "]"}});
    EXPECT_EQ(kmp.errors, "");
    EXPECT_EQ(kmp.reading.settings.places_text, list);
    PlaceRequest request;
    PlaceList all;
    EXPECT_TRUE(parse_places(places, request, all));
    EXPECT_EQ(all.count(), CpuSet::capacity);
}

} // namespace
} // namespace heddle::config
