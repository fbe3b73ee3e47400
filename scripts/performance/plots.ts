/** `make plots`: writes the charts and the tables of `docs/performance.md` from the results in `docs/performance/`. */
import { readFileSync, writeFileSync } from "node:fs";
import { drawCharts } from "./charts";
import { fillIn } from "./page";
import { docs, readFigures, readGrowth } from "./results";
import { tables } from "./tables";

const [figures, growth] = [readFigures(), readGrowth()];
for (const [name, text] of drawCharts(growth)) writeFileSync(`${docs}/performance/${name}`, text);
const page = `${docs}/performance.md`;
writeFileSync(page, fillIn(readFileSync(page, "utf8"), tables(figures, growth)));
