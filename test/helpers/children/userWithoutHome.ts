/** Prints the home folder of a user without `HOME`, who is not in the system's list of users if this starts as root. */
import { userHome } from "@/common/userHome";

if (process.getuid?.() === 0) {
  process.setgid?.(54_321);
  process.setuid?.(54_321);
}
delete process.env.HOME;
console.log(JSON.stringify(userHome()));
