/** The tables of a page, for comparisons with the code. */

/** Returns the rows of the table that has a column with that title, as cells by column. */
export function tableWith(column: string, page: string): Record<string, string>[] {
  const tables = page.split("\n\n").filter((block) => block.startsWith("|"));
  const [table] = tables.filter((block) => block.split("\n")[0]!.includes(`| ${column} `));
  const [titles, , ...rows] = (table ?? "").split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  );
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [titles![i]!, cell])));
}
