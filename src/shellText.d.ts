/** Declares for the compiler that the import of a shell script (`*.sh`) is its text. */
declare module "*.sh" {
  const text: string;
  export default text;
}
