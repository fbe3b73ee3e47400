/** The cost of change detection, compared with one `git status`. */
import { edit, gitStatus, Watched } from "./changeDetection";
import { inTurns, ratioOf, type Benchmark, type Figure } from "./lib";
import { pathOf, Repository, version } from "./repositories";

async function againstStatus(
  repository: Repository,
  { id, claim, rounds }: Pick<Figure, "id" | "claim"> & { rounds: number },
  save?: () => Promise<void>
): Promise<Figure> {
  const watched = await Watched.create(repository);
  const sides = { floor: () => gitStatus(repository), ours: () => watched.look() };
  const turns = await inTurns(sides, rounds, async () => {
    await watched.keep();
    await save?.();
  });
  return { id, claim: `${claim}, against one git status`, ...ratioOf(turns) };
}

async function changes(): Promise<Figure[]> {
  const repository = await Repository.create(10_000);
  try {
    await edit(repository, 3);
    await repository.write("untracked.ts", "let new;\n");
    const claim = "nothing changed since the last look at 10,000 files";
    const figures = [
      await againstStatus(repository, { id: "changes-10k", claim, rounds: 40 }),
      await processes(repository),
    ];

    let edits = 0;
    const edited = { id: "changes-edited", claim: "one of 10,000 files edited", rounds: 30 };
    const save = () => repository.write("edited.ts", version(edits++));
    figures.push(await againstStatus(repository, edited, save));

    await edit(repository, 10_000);
    const modified = { id: "changes-modified", claim: "nothing changed since, 10,000 modified" };
    figures.push(await againstStatus(repository, { ...modified, rounds: 30 }));

    for (let i = 0; i < 10_000; i++) await repository.write(`new/${pathOf(i)}`, `let new${i};\n`);
    const untracked = { id: "changes-untracked", claim: "and 10,000 untracked files with them" };
    figures.push(await againstStatus(repository, { ...untracked, rounds: 30 }));
    return figures;
  } finally {
    await repository.remove();
  }
}

async function processes(repository: Repository): Promise<Figure> {
  const value = await (await Watched.create(repository)).processesOfLook();
  const claim = "git processes to learn that nothing changed";
  return { id: "git-processes", claim, value, unit: "processes" };
}

async function manyFiles(): Promise<Figure> {
  const repository = await Repository.create(100_000);
  try {
    await edit(repository, 3);
    const claim = "nothing changed since the last look at 100,000 files";
    return await againstStatus(repository, { id: "changes-100k", claim, rounds: 15 });
  } finally {
    await repository.remove();
  }
}

export const benchmarks: Benchmark[] = [
  {
    ids: [
      "changes-10k",
      "git-processes",
      "changes-edited",
      "changes-modified",
      "changes-untracked",
    ],
    measure: changes,
  },
  { ids: ["changes-100k"], measure: manyFiles },
];
