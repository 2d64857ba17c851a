package io.csi4j.fuzz;

import java.util.function.Supplier;

/** A property that does not hold for an input; what a run of a target looks for. */
public final class Finding extends AssertionError {

  private static final long serialVersionUID = 1;

  private Finding(String what) {
    super(what);
  }

  /** Ends the input with a finding unless the property holds; its text is made only then. */
  public static void unless(boolean holds, Supplier<String> what) {
    if (!holds) {
      throw new Finding(what.get());
    }
  }

  /** Ends the input with a finding unless the text is one line that a terminal can show. */
  public static void unlessOneLine(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        throw new Finding("not one line: " + text);
      }
    }
  }
}
