export declare function licenses(file: string): {
  name: string;
  writeBundle(options: unknown, bundle: Record<string, object>): void;
};
export declare function packageFolder(id: string): string | undefined;
