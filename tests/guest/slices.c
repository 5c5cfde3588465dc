/* SPDX-License-Identifier: Apache-2.0
 * How long a CPU of the balanced machine runs before the next one does (machine.py): until the next
 * timer of the emulator is due. So this starts one that is due often, the PC's interval timer,
 * which Linux has no more use for once the CPUs have theirs, and keeps its interrupt from the CPUs.
 * It runs on until the machine is off. The argument is its period in ticks of 838.096 ns, of which
 * a turn is half.
 *
 * 22 is a good number, 9219.05 ns a turn. QEMU rounds the time when the timer is due down to ns;
 * where the clock, which counts in steps of 2 ns, stands at just that, it finds the tick not over
 * yet and comes back 1 ns later, and the next CPU's turn is one instruction long. That happens at
 * even times. With an odd number of ns those are every other one, so that two full turns and a
 * short one follow each other and go round all eight CPUs. With 8, which is 3352.38 ns, the same
 * CPUs had the short ones for up to milliseconds. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <sys/mman.h>

enum {
    IOAPIC = 0xfec00000, /* where its registers lie: a selector, and 16 bytes on what it selects */
    TIMER_PIN = 0x14,    /* the low half of the entry of pin 2, the timer's */
    MASKED = 1 << 16,
    COUNTER_0 = 0x40, /* ports of the timer */
    COMMAND = 0x43,
    SQUARE_WAVE = 0x36 /* of counter 0, whose period follows, the low byte first */
};

int main(int argc, char** argv) {
    const int ticks = argc == 2 ? atoi(argv[1]) : 0;
    if (ticks < 2 || ticks > 0xffff) {
        fprintf(stderr, "usage: slices TICKS\n");
        return 2;
    }
    const int memory = open("/dev/mem", O_RDWR | O_SYNC);
    volatile uint32_t* const ioapic =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, IOAPIC);
    if (memory < 0 || ioapic == MAP_FAILED || iopl(3) != 0) {
        perror("slices");
        return 1;
    }
    ioapic[0] = TIMER_PIN;
    ioapic[4] |= MASKED;
    outb(SQUARE_WAVE, COMMAND);
    outb(ticks & 0xff, COUNTER_0);
    outb(ticks >> 8, COUNTER_0);
    return 0;
}
