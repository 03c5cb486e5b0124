// test
import { createRoot } from "react-dom/client";

createRoot(document.getElementById("root") as HTMLElement).render(<h1 className="p-4">Hi</h1>);
