// SPDX-License-Identifier: Apache-2.0
// From the variable's text to the list of places: listed ones lose the CPUs that the process may
// not use, abstract ones come from the topology. Called by one thread for each list. The states are
// those of config/load.cpp, for the same reasons.
#include "place/places.hpp"

#include "config/load.hpp"
#include "config/text.hpp"
#include "place/kmp_places.hpp"
#include "place/shares.hpp"
#include "place/topology.hpp"

namespace heddle::place {

namespace {

using config::CpuSet;
using config::PlaceList;
using config::PlaceRequest;
using config::PlaceSource;
using config::PlaceUnit;
using config::Settings;
using config::Text;

enum State : uint32_t { unknown, reading, ready };

constinit platform::Atomic<uint32_t> state{unknown};
constinit PlaceList* process_places = nullptr; // of the thread that moved `state` to `reading`
constinit int process_cpus = 0;                // likewise

const char* name_of(PlaceSource source) {
    return source == PlaceSource::omp_places ? "OMP_PLACES" : "GOMP_CPU_AFFINITY";
}

/// Takes the CPUs that are not `available` out of the places, and the places that become empty.
void restrict_to(const CpuSet& available, PlaceList& places) {
    for (int i = places.count() - 1; i >= 0; --i) {
        places[i].keep(available);
        if (places[i].empty())
            places.remove(i);
    }
}

/// The listed places of the environment; false when they are not listed or none can be used.
bool listed_places(const Settings& settings, const CpuSet& available, PlaceList& places) {
    PlaceRequest request;
    if (settings.place_source == PlaceSource::omp_places)
        config::parse_places(settings.places_text, request, places);
    else
        config::parse_cpu_affinity(settings.places_text, places);
    const int before = places.count();
    restrict_to(available, places);
    if (places.count() == before)
        return true;
    char buffer[200];
    Text line(buffer, sizeof buffer);
    line << name_of(settings.place_source) << ": ";
    if (places.count() == 0)
        line << "no place has a CPU that this process may use; using cores";
    else
        line << before - places.count() << " of " << before
             << " places have no CPU that this process may use and are left out";
    platform::warn(line.c_str());
    return places.count() > 0;
}

PlaceRequest request_of(const Settings& settings) {
    PlaceRequest request;
    if (settings.place_source == PlaceSource::gomp_cpu_affinity) {
        request.unit = PlaceUnit::listed;
    } else if (settings.place_source == PlaceSource::omp_places) {
        PlaceList unused;
        config::parse_places(settings.places_text, request, unused);
    }
    return request;
}

/// The CPUs of the process. Not those of the calling thread where those at load are known: a
/// libgomp beside us has bound it to one place by now.
CpuSet cpus_of_process() {
    CpuSet cpus = config::cpus_at_load();
    if (cpus.empty() && !cpus.read())
        platform::warn("the system does not tell which CPUs may be used: threads are not bound");
    return cpus;
}

void determine() {
    const platform::NotCancelled whole; // others wait for who reads
    uint32_t expected = unknown;
    if (state.compare_exchange_strong(expected, reading, platform::acquire, platform::acquire)) {
        void* memory = platform::allocate(sizeof(PlaceList), alignof(PlaceList));
        if (!memory)
            platform::die("no memory for the list of places");
        process_places = ::new (memory) PlaceList; // never freed: threads run on at exit
        const Settings& settings = config::settings();
        const CpuSet usable = usable_cpus(settings, share_of(settings, cpus_of_process(), ""), "");
        process_cpus = usable.count();
        determine_places(settings, usable, "", *process_places);
        if (settings.kmp_affinity.verbose)
            describe_places(usable, "", *process_places);
        state.store(ready, platform::release);
        return;
    }
    while (state.load(platform::acquire) != ready)
        platform::yield();
}

} // namespace

const PlaceList& places() {
    // acquire: pairs with the release in determine()
    if (state.load(platform::acquire) != ready)
        determine();
    return *process_places;
}

int count_usable_cpus() {
    places(); // they have been counted there
    return process_cpus;
}

void determine_places(const Settings& settings, const CpuSet& available, const char* root,
                      PlaceList& places) {
    if (settings.initial.bind == config::ProcBind::false_ || available.empty())
        return;
    if (settings.place_source == PlaceSource::kmp_affinity)
        return read_kmp_places(settings, available, root, places);
    if (settings.place_source == PlaceSource::kmp_hw_subset) {
        places.add(available);
        return;
    }
    PlaceRequest request = request_of(settings);
    if (request.unit == PlaceUnit::listed) {
        if (listed_places(settings, available, places))
            return;
        request = {};
    }
    read_topology(request.unit, request.limit, available, root, places);
}

void restart_in_forked_child() {
    // The child has one thread: if it was not the reader, the reader does not exist any more.
    if (state.load(platform::relaxed) == reading)
        state.store(unknown, platform::relaxed);
}

} // namespace heddle::place
