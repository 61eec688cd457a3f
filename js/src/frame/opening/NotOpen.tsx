import { useView } from "../../client/view";
import { Blank, RETRY } from "../../ui/problem/Blank";
import { sentence, visible } from "../../ui/text/text";
import "./opening.css";

/** What stands there until the kernel has answered for the first time, perhaps forever. */
export function NotOpen() {
  const { session, inks } = useView();
  const { health, answered } = session.client;
  const failed = session.openError.value;
  if (failed) {
    return (
      <Blank wrong action={RETRY} onAction={() => void session.open()}>
        <strong>The store could not be opened.</strong> {sentence(visible(failed.message))}
      </Blank>
    );
  }
  if (health.value === "waiting")
    return (
      <div class="nzx-empty">
        <p class="nzx-wait">Opening the store…</p>
      </div>
    );
  if (session.savedPage) {
    const page = session.savedPage.replace("light dark", inks.value?.dark ? "dark" : "light");
    // In a sandbox nothing of it can run.
    return <iframe class="nzx-saved" sandbox="" title="What was saved" srcdoc={page} />;
  }
  return (
    <Blank icon="info" action={RETRY} onAction={() => session.client.resendAll()}>
      {health.value === "lost" ? "No answer from the kernel." : "The kernel has not answered yet."}
      {!answered.value && " If this notebook was opened without running it, run the cell again."}
    </Blank>
  );
}
