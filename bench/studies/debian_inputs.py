# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian that use OpenMP: what each is given to do, and where its answer stands.

Inputs are small, made here from a seed, and the same for all runtimes. An answer is what does not
depend on the runtime: text, an image, an energy to the digits that hold with any order of sums.
"""
from __future__ import annotations

import array
import hashlib
import math
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

Answer = Callable[[Path, str], str]  # of the folder of the run, and of what was printed


def same_file(name: str) -> Answer:
    return lambda folder, printed: hashlib.sha256((folder / name).read_bytes()).hexdigest()[:12]


def found(pattern: str, name: str | None = None) -> Answer:
    """The last match of the pattern's group in what was printed, or in a file."""
    def look(folder: Path, printed: str) -> str:
        text = printed if name is None else (folder / name).read_text(errors="replace")
        matches = re.findall(pattern, text, re.MULTILINE)
        return matches[-1] if matches else ""
    return look


@dataclass(frozen=True)
class Program:
    name: str
    packages: str
    command: str  # {inputs} and {threads} are filled in; run by a shell in a folder of its own
    answer: Answer
    prepare: str = ""  # run once, in the folder of inputs


def sequences(count: int, length: int, letters: str, rate: float, chance: random.Random) -> str:
    """A family of sequences, each a copy of an earlier one with changes, as FASTA."""
    family = ["".join(chance.choices(letters, k=length))]
    while len(family) < count:
        family.append("".join(chance.choice(letters) if chance.random() < rate else letter
                              for letter in chance.choice(family)))
    return "".join(f">s{i}\n{sequence}\n" for i, sequence in enumerate(family))


def page(chance: random.Random) -> str:
    words = "task region thread team barrier loop order worker share data line clock".split()
    return "\n".join(" ".join(chance.choices(words, k=11)) for _ in range(30))


GROMACS_TOPOLOGY = """\
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
"""
GROMACS_RUN = """\
integrator = md
nsteps = 400
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
tcoupl = v-rescale
tc-grps = System
tau_t = 0.1
ref_t = 300
gen_vel = yes
gen_seed = 7
ld_seed = 7
constraints = h-bonds
"""
PSI4_RUN = """\
memory 1 gb
molecule {
O
H 1 0.96
H 1 0.96 2 104.5
--
O 1 2.9 2 120.0 3 10.0
H 4 0.96 1 110.0 2 50.0
H 4 0.96 1 110.0 2 -60.0
}
set basis cc-pvtz
energy('mp2')
"""
CP2K_RUN = """\
&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY
  PRINT_LEVEL LOW
&END
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME /usr/share/cp2k/BASIS_MOLOPT
    POTENTIAL_FILE_NAME /usr/share/cp2k/GTH_POTENTIALS
    &MGRID
      CUTOFF 200
    &END
    &SCF
      MAX_SCF 6
      SCF_GUESS ATOMIC
      &OT
      &END
    &END
    &XC
      &XC_FUNCTIONAL PBE
      &END
    &END
  &END
  &SUBSYS
    &CELL
      ABC 6.2 6.2 6.2
    &END
    &COORD
{atoms}    &END
    &KIND O
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PBE
    &END
    &KIND H
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PBE
    &END
  &END
&END
"""
OCTAVE_RUN = """\
rand('seed', 1); A = rand(700); s = 0;
for i = 1:6, [q, r] = qr(A); A = A * 0.5 + q; s += sum(svd(A)(1:3)); end
for i = 1:300, b = A(1:60, 1:60) \\ ones(60, 1); s += b(1); end
printf('sum %.3f\\n', s);
"""
# Without denoising, whose results differ from run to run, with libgomp also.
RAWTHERAPEE_PROFILE = """\
[Version]
AppVersion=5.9
Version=349
[SharpenMicro]
Enabled=true
[Sharpening]
Enabled=true
[Local Contrast]
Enabled=true
Radius=80
Amount=0.4
[Dehaze]
Enabled=true
Strength=30
"""
PLASTIMATCH_RUN = """\
[GLOBAL]
fixed={inputs}/fixed.mha
moving={inputs}/moving.mha
img_out=warped.mha
[STAGE]
xform=bspline
optim=lbfgsb
impl=plastimatch
threading=openmp
metric=mse
max_its=30
grid_spac=10 10 10
res=1 1 1
"""
DATA_TABLE_RUN = """\
suppressMessages(library(data.table))
setDTthreads(as.integer(commandArgs(TRUE)[1]))
set.seed(1)
n <- 1e6
d <- data.table(a = sample(1e5, n, TRUE), b = sample(100, n, TRUE), x = runif(n))
s <- sum(d[, .(s = sum(x)), by = a]$s)
setorder(d, a, x)
s <- s + sum(d$x[1:1000]) + sum(d[, .N, by = .(a, b)]$N)
fwrite(d[1:300000], "rows.csv")
s <- s + sum(fread("rows.csv")$b)
for (i in 1:2000) s <- s + d[1:2000][b > 50, sum(x)]
cat(sprintf("sum %.4f\\n", s))
"""
LANDSCAPE = 500  # rows and columns
SAGA_HEADER = f"""\
NAME = landscape
DATAFORMAT = FLOAT
DATAFILE_OFFSET = 0
BYTEORDER_BIG = FALSE
POSITION_XMIN = 0
POSITION_YMIN = 0
CELLCOUNT_X = {LANDSCAPE}
CELLCOUNT_Y = {LANDSCAPE}
CELLSIZE = 10
Z_FACTOR = 1
NODATA_VALUE = -99999
TOPTOBOTTOM = FALSE
"""


def landscape() -> bytes:
    return array.array("f", (
        200 * math.sin(x / 37) * math.cos(y / 23) + 50 * math.sin(x * y / 900) + 300
        for y in range(LANDSCAPE) for x in range(LANDSCAPE))).tobytes()


def ring_oscillators(rings: int = 12, stages: int = 21) -> str:
    """A netlist of SPICE: rings of inverters, each stage with two transistors of BSIM3."""
    model = "level=8 version=3.3.0 tox=4e-9"
    lines = ["rings", f".model nm nmos {model} vth0=0.4 u0=400",
             f".model pm pmos {model} vth0=-0.4 u0=150", "vdd vdd 0 1.8"]
    for r in range(rings):
        for i in range(stages):
            wires = f"r{r}n{(i + 1) % stages} r{r}n{i}"
            lines += [f"mp{r}_{i} {wires} vdd vdd pm w=2u l=0.18u",
                      f"mn{r}_{i} {wires} 0 0 nm w=1u l=0.18u",
                      f"c{r}_{i} r{r}n{i} 0 {5 + r}f"]
        lines.append(f".ic v(r{r}n0)=1.8")
    return "\n".join(lines + [".tran 2p 1.2n uic", ".control", "run",
                              "meas tran volts find v(r0n0) at=0.8n", "quit", ".endc", ".end", ""])


def reads(count: int, genome_length: int, chance: random.Random) -> str:
    """What a sequencer reads of a genome, as FASTQ: 100 letters each, of either strand."""
    genome = "".join(chance.choices("ACGT", k=genome_length))
    complement = str.maketrans("ACGT", "TGCA")
    text = []
    for i in range(count):
        at = chance.randrange(genome_length - 100)
        read = genome[at:at + 100]
        if chance.random() < 0.5:
            read = read.translate(complement)[::-1]
        text.append(f"@r{i}\n{read}\n+\n{'I' * 100}\n")
    return "".join(text)


def messages(count: int, chance: random.Random) -> tuple[str, str]:
    """A catalogue of gettext with its translations, and a newer one, with other words."""
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    words = page(chance).split()
    old = list(dict.fromkeys(" ".join(chance.choices(words, k=chance.randrange(5, 14)))
                             for _ in range(count)))
    new = dict.fromkeys(text if chance.random() < 0.3 else
                        f"{text} {chance.choice(words)} {chance.choice(words)}" for text in old)
    return (head + "".join(f'msgid "{text}"\nmsgstr "X {text}"\n\n' for text in old),
            head + "".join(f'msgid "{text}"\nmsgstr ""\n\n' for text in new))


def eight_waters() -> str:
    corners = [(x * 3.1, y * 3.1, z * 3.1) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    return "".join(f"      O {x:.2f} {y:.2f} {z:.2f}\n"
                   f"      H {x + 0.76:.2f} {y + 0.59:.2f} {z:.2f}\n"
                   f"      H {x - 0.76:.2f} {y + 0.59:.2f} {z:.2f}\n" for x, y, z in corners)


def write_inputs(folder: Path) -> None:
    chance = random.Random(3)
    for name, text in (
            ("proteins.fa", sequences(150, 220, "ACDEFGHIKLMNPQRSTVWY", 0.15, chance)),
            ("genes.fa", sequences(400, 900, "ACGT", 0.05, chance)),
            ("few_genes.fa", sequences(24, 2000, "ACGT", 0.06, chance)),
            ("page.txt", page(chance)), ("water.top", GROMACS_TOPOLOGY), ("water.mdp", GROMACS_RUN),
            ("water.dat", PSI4_RUN), ("water.inp", CP2K_RUN.format(atoms=eight_waters())),
            ("dense.m", OCTAVE_RUN), ("photo.pp3", RAWTHERAPEE_PROFILE),
            ("registration.txt", PLASTIMATCH_RUN.format(inputs=folder)),
            ("landscape.sgrd", SAGA_HEADER),
            ("many_proteins.fa", sequences(1200, 450, "ACDEFGHIKLMNPQRSTVWY", 0.1, chance)),
            ("rings.cir", ring_oscillators()), ("reads.fq", reads(30000, 60000, chance)),
            ("few_proteins.fa", sequences(32, 150, "ACDEFGHIKLMNPQRSTVWY", 0.15, chance)),
            *zip(("old.po", "new.pot"), messages(2500, chance)), ("table.R", DATA_TABLE_RUN)):
        (folder / name).write_text(text)
    (folder / "blob").write_bytes(chance.randbytes(60_000_000))
    (folder / "landscape.sdat").write_bytes(landscape())


FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
PROGRAMS = (
    Program("tesseract", "tesseract-ocr tesseract-ocr-eng imagemagick fonts-dejavu-core",
            "tesseract {inputs}/page.png text", same_file("text.txt"),
            f"convert-im6.q16 -size 1700x1500 xc:white -font {FONT} -pointsize 30 -fill black "
            '-annotate +40+60 "$(cat page.txt)" page.png'),
    Program("gromacs", "gromacs gromacs-data",
            "gmx mdrun -s {inputs}/water.tpr -ntmpi 1 -ntomp {threads} -pin off -reprod",
            found(r"Conserved.*\n\s*(?:\S+\s+){2}(\S{6})", "md.log"),
            "gmx solvate -cs spc216 -box 3.5 3.5 3.5 -o water.gro && "
            "echo SOL $(grep -c OW water.gro) >> water.top && "
            "gmx grompp -f water.mdp -c water.gro -p water.top -o water.tpr -maxwarn 5"),
    Program("cp2k", "cp2k cp2k-data", "cp2k.psmp -i {inputs}/water.inp",
            found(r"energy \[a\.u\.\]:\s+(\S{13})")),
    Program("psi4", "psi4", "psi4 -n {threads} -i {inputs}/water.dat -o out",
            found(r"SCS Total Energy.*=\s+(\S{14})", "out")),
    Program("octave", "octave libopenblas0-openmp",
            "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/openblas-openmp "
            "octave-cli --no-init-file {inputs}/dense.m", found(r"sum (\S+)")),
    Program("clustalo", "clustalo",
            "clustalo -i {inputs}/proteins.fa -o aligned.fa --threads={threads}",
            same_file("aligned.fa")),
    Program("fasttree", "fasttree", "fasttreeMP -nt -gtr -seed 1 {inputs}/genes.fa",
            found(r"^(\(.{60})")),
    Program("iqtree", "iqtree",
            "iqtree2 -s {inputs}/few_genes.fa -m GTR+G -nt {threads} -seed 1 --prefix tree",
            found(r"BEST SCORE FOUND : (\S{9})")),
    Program("graphicsmagick", "graphicsmagick",
            "gm convert {inputs}/noise.png -blur 0x6 -unsharp 0x3 -resize 130% out.ppm",
            same_file("out.ppm"), "gm convert -size 1600x1200 plasma:fractal noise.png"),
    Program("imagemagick", "imagemagick",
            "convert-im6.q16 {inputs}/soft.png -blur 0x6 -resize 130% out.ppm",
            same_file("out.ppm"),
            "convert-im6.q16 -seed 3 -size 1600x1200 plasma:red-blue soft.png"),
    Program("rawtherapee", "rawtherapee imagemagick",
            "rawtherapee-cli -a -o out.tif -t -Y -p {inputs}/photo.pp3 -c {inputs}/photo.tif",
            same_file("out.tif"),
            "convert-im6.q16 -seed 3 -size 1600x1200 plasma:red-blue -resize 200% -depth 16 photo.tif"),
    Program("saga", "saga",
            "saga_cmd -c={threads} ta_lighting 3 -DEM {inputs}/landscape.sgrd -SVF view.sgrd "
            "-RADIUS 1000 -METHOD 1", same_file("view.sdat")),
    Program("kalign", "kalign", "kalign -i {inputs}/many_proteins.fa -o aligned.fa -n {threads}",
            same_file("aligned.fa")),
    Program("plastimatch", "plastimatch", "plastimatch register {inputs}/registration.txt",
            same_file("warped.mha"),
            "plastimatch synth --pattern gauss --dim '80 80 80' --output fixed.mha && "
            "plastimatch synth --pattern gauss --gauss-center '20 10 0' --dim '80 80 80' "
            "--output moving.mha"),
    # Relies on the order in which threads get the chunks of a dynamic loop: docs/loops.md.
    Program("megahit", "megahit",
            "megahit -r {inputs}/reads.fq -t {threads} -o out --no-hw-accel && "
            "grep -v '>' out/final.contigs.fa | wc -c", found(r"^(\d+)$")),
    Program("spades", "spades",
            "spades --only-assembler -k 31 -t {threads} -s {inputs}/reads.fq -o out && "
            "grep -v '>' out/contigs.fasta | wc -c", found(r"^(\d+)$")),
    Program("cd-hit", "cd-hit",
            "cd-hit -i {inputs}/many_proteins.fa -o kept -T {threads} -c 0.7 -n 5 && "
            "grep -c '>' kept", found(r"^(\d+)$")),
    Program("muscle", "muscle",
            "muscle -align {inputs}/few_proteins.fa -output aligned.fa -threads {threads}",
            same_file("aligned.fa")),
    Program("ngspice", "ngspice",
            "ngspice -D num_threads={threads} -b {inputs}/rings.cir",
            found(r"^volts +=\s+(\S{9})")),
    Program("par2", "par2",
            "par2 create -q -t{threads} -s400000 -r5 -n1 -B{inputs} blob.par2 {inputs}/blob && "
            "sha256sum *.vol*.par2", found(r"^(\w{12})")),
    Program("msgmerge", "gettext",
            "msgmerge -q {inputs}/old.po {inputs}/new.pot -o merged.po", same_file("merged.po")),
    Program("data.table", "r-base-core r-cran-data.table",
            "Rscript {inputs}/table.R {threads}", found(r"sum (\S+)")),
)
