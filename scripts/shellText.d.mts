export declare function textModule(path: string): string;
export declare const shellText: {
  name: string;
  enforce: "pre";
  load(id: string): { code: string; moduleType: "js" } | null;
};
