// SPDX-License-Identifier: Apache-2.0
// Divides the list of cores, in which neighbours stand side by side, by the number of processes.
// Called by one thread. Every sibling comes to the same list and takes another part of it.
#include "place/shares.hpp"

#include "config/places.hpp"
#include "place/topology.hpp"

namespace heddle::place {

namespace {

using config::CpuSet;
using config::PlaceList;
using config::PlaceSource;
using config::PlaceUnit;
using config::Settings;

/// Whether the variables name CPUs by their numbers, or by how many come before them. A script
/// around the program sets these for each process.
bool names_cpus(const Settings& settings) {
    if (!settings.kmp_affinity.respect)
        return true; // all CPUs, whatever the launcher says
    for (int i = 0; i < settings.kmp_hw_subset.length; ++i)
        if (settings.kmp_hw_subset.items[i].offset != 0)
            return true;
    switch (settings.place_source) {
    case PlaceSource::gomp_cpu_affinity:
        return true;
    case PlaceSource::kmp_affinity:
        return settings.kmp_affinity.type == config::AffinityType::explicit_ ||
               settings.kmp_affinity.offset != 0;
    case PlaceSource::omp_places: {
        config::PlaceRequest request;
        PlaceList unused;
        config::parse_places(settings.places_text, request, unused);
        return request.unit == PlaceUnit::listed;
    }
    default:
        return false;
    }
}

} // namespace

bool may_share(const Settings& settings) {
    return settings.local.size > 1 && settings.initial.bind != config::ProcBind::false_ &&
           !names_cpus(settings);
}

CpuSet share_of(const Settings& settings, const CpuSet& available, const char* root) {
    if (!may_share(settings) || !(available == online_cpus(root)))
        return available;
    const auto [rank, size] = settings.local;
    PlaceList units;
    read_topology(PlaceUnit::cores, PlaceList::longest, available, root, units);
    if (units.count() < size) {
        units.clear();
        read_topology(PlaceUnit::threads, PlaceList::longest, available, root, units);
    }
    if (units.count() < size)
        return available;
    const int each = units.count() / size, rest = units.count() % size;
    const int first = rank * each + (rank < rest ? rank : rest);
    CpuSet share;
    for (int i = 0; i < each + (rank < rest ? 1 : 0); ++i)
        share.add(units[first + i]);
    return share;
}

} // namespace heddle::place
