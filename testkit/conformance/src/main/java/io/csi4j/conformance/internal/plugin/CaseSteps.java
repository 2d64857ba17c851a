package io.csi4j.conformance.internal.plugin;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The steps of the cases that more than one call judges, by the names of the cases. */
final class CaseSteps {

  private final Map<String, Consumer<Trial>> all = new TreeMap<>();

  /** Adds the steps of a case. */
  void add(String name, Consumer<Trial> steps) {
    if (all.put(name, steps) != null) {
      throw new IllegalStateException("The case " + name + " has its steps twice.");
    }
  }

  /**
   * Takes the steps of a case out.
   *
   * @param call the call that judges the case; empty if its steps do
   * @param ends how that call has to end
   */
  Consumer<Trial> take(String name, String call, String ends) {
    Consumer<Trial> steps = call.isEmpty() ? all.remove(name) : CaseCall.of(call).steps(ends);
    if (steps == null) {
      throw new IllegalStateException("The case " + name + " of cases.tsv has no steps.");
    }
    return steps;
  }

  /** Refuses steps that no row of the table has asked for. */
  void checkAllTaken() {
    if (!all.isEmpty()) {
      throw new IllegalStateException("No row of cases.tsv has the cases " + all.keySet() + ".");
    }
  }
}
