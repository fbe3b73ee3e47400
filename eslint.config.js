import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/**", "coverage/**", "fixtures/**", ".cache/**", "node_modules/**"] },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "no-restricted-imports": ["error", { patterns: ["../../*"] }],
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 400 }],
      "no-console": "error",
      "no-restricted-globals": [
        "error",
        { name: "setImmediate", message: "Await an event instead." },
      ],
      "no-restricted-properties": [
        "error",
        { object: "process", property: "exit", message: "Only src/cli ends the process." },
        { object: "process", property: "argv", message: "Only src/cli reads the command line." },
      ],
    },
  },
  {
    files: ["src/cli/**/*.ts"],
    rules: { "no-restricted-properties": "off", "no-console": "off" },
  },
  {
    files: ["**/*.cjs", "**/*.mjs", "**/*.js"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        require: "readonly",
        module: "writable",
        __dirname: "readonly",
        Buffer: "readonly",
        URL: "readonly",
        performance: "readonly",
        setTimeout: "readonly",
      },
    },
  },
  {
    // Of the rules that need types only the one that tests cannot do without: the others take half of the time.
    files: ["test/**/*.ts", "bench/**/*.ts", "scripts/**/*.ts"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-non-null-assertion": "off",
      "max-lines": ["error", { max: 600 }],
    },
  }
);
