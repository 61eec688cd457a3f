import type { Forecast } from "../../client/protocol.gen";
import type { Impact } from "../../ui/impact/Impact";

export interface Prediction {
  icon: string;
  tone: string;
  /** What it will do. */
  said: string;
  /** The rules that say so, and their impact. */
  rules: string[];
  impact: Impact | null;
}

/** What a reader will make of the store, going by the findings: its sign, its tone and the words for it. */
export function predictionOf({ opens, blocked_by, misled_by, reason }: Forecast): Prediction {
  if (opens === false)
    return {
      icon: "cross",
      tone: "blocks",
      said: "cannot open everything",
      rules: blocked_by,
      impact: "blocks",
    };
  if (misled_by.length > 0)
    return {
      icon: "values",
      tone: "values",
      said: "gives wrong or missing values",
      rules: misled_by,
      impact: "values",
    };
  const none = { rules: [], impact: null };
  if (opens === null) return { icon: "minus", tone: "advice", said: `not known: ${reason}`, ...none };
  return { icon: "check", tone: "good", said: reason || "no problem found", ...none };
}
