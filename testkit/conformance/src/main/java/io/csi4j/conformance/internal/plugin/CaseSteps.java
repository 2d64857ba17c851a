package io.csi4j.conformance.internal.plugin;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Collects the steps of the cases that need more than one call for the verdict, keyed by the name
 * of the case.
 */
final class CaseSteps {

  private final Map<String, Consumer<Trial>> all = new TreeMap<>();

  /** Adds the steps of a case. */
  void add(String name, Consumer<Trial> steps) {
    if (all.put(name, steps) != null) {
      throw new IllegalStateException("The case " + name + " has its steps twice.");
    }
  }

  /**
   * Removes and returns the steps of a case.
   *
   * @param call the call that decides the verdict of the case; empty if the added steps decide it
   * @param ends the required result of that call
   */
  Consumer<Trial> take(String name, String call, String ends) {
    Consumer<Trial> steps = call.isEmpty() ? all.remove(name) : CaseCall.of(call).steps(ends);
    if (steps == null) {
      throw new IllegalStateException("The case " + name + " of cases.tsv has no steps.");
    }
    return steps;
  }

  /** Throws an exception if a case with added steps has no row in the table. */
  void checkAllTaken() {
    if (!all.isEmpty()) {
      throw new IllegalStateException("No row of cases.tsv has the cases " + all.keySet() + ".");
    }
  }
}
