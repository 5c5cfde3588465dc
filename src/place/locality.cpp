// SPDX-License-Identifier: Apache-2.0
// One map for the process, and the domain of each place. Read by the thread that comes first; the
// states are those of config/load.cpp, for the same reasons. Never freed: threads run on at exit.
#include "place/locality.hpp"

#include "config/load.hpp"
#include "place/kmp_places.hpp"
#include "place/places.hpp"

namespace heddle::place {

constinit platform::Atomic<int32_t> known_domains{0};

namespace {

constexpr int32_t unknown = 0, reading = -1;

// Of the thread that moved the count to `reading`. A map in `memory` that nobody destroys.
alignas(DomainMap) constinit char memory[sizeof(DomainMap)] = {};
constinit DomainMap* process_domains = nullptr;
constinit int16_t* domains_of_places = nullptr; // by place, if there are several domains

config::CpuSet cpus_of_process() {
    config::CpuSet cpus = config::cpus_at_load();
    if (cpus.empty())
        cpus.read(); // if that is refused there is one domain
    return usable_cpus(config::settings(), cpus, "");
}

void read_domains(const config::CpuSet& available, const char* root) {
    process_domains = ::new (memory) DomainMap;
    process_domains->read(available, root);
    if (process_domains->count() == 1)
        return;
    const config::PlaceList& all = places();
    const auto count = static_cast<size_t>(all.count());
    domains_of_places =
        static_cast<int16_t*>(platform::allocate(sizeof(int16_t) * (count + 1), alignof(int16_t)));
    for (int i = 0; domains_of_places && i < all.count(); ++i)
        domains_of_places[i] = static_cast<int16_t>(process_domains->of_cpus(all[i]));
}

} // namespace

int find_domains() {
    int32_t expected = unknown;
    if (known_domains.compare_exchange_strong(expected, reading, platform::acquire,
                                              platform::acquire)) {
        read_domains(cpus_of_process(), "");
        known_domains.store(process_domains->count(), platform::release);
    }
    // acquire: pairs with the release above
    while (known_domains.load(platform::acquire) == reading)
        platform::yield();
    return known_domains.load(platform::acquire);
}

const DomainMap& domains() {
    domain_count();
    return *process_domains;
}

int domain_of_place(int place) {
    if (domain_count() == 1)
        return 0;
    return domains_of_places && place >= 0 && place < places().count() ? domains_of_places[place]
                                                                       : -1;
}

int current_domain() {
    if (domain_count() == 1)
        return 0;
    return domains().of_cpu(platform::current_cpu());
}

void assume_machine(const config::CpuSet& available, const char* root) {
    read_domains(available, root);
    known_domains.store(process_domains->count(), platform::release);
}

void restart_domains_in_forked_child() {
    // The child has one thread: if it was not the reader, the reader does not exist any more.
    if (known_domains.load(platform::relaxed) == reading)
        known_domains.store(unknown, platform::relaxed);
}

} // namespace heddle::place
