package io.csi4j.conformance.model;

import io.csi4j.conformance.model.CaseResult.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Prints a line for each case, and the summary at the end. */
final class ProgressPrinter implements ConformanceListener {

  private final Consumer<String> out;
  private final List<CaseResult> results = new ArrayList<>();
  private String place = "";

  ProgressPrinter(Consumer<String> out) {
    this.out = out;
  }

  @Override
  public void started(ConformanceCase about, int number, int of) {
    place = number + "/" + of;
  }

  @Override
  public void ended(CaseResult result) {
    results.add(result);
    StringBuilder line = new StringBuilder(place);
    line.append(' ').append(result.outcome()).append(' ').append(result.about().name());
    line.append(" (").append(result.took().toMillis()).append(" ms)");
    if (result.outcome() == Outcome.FAILED || result.outcome() == Outcome.NOT_RUN) {
      line.append(": ")
          .append(
              CauseGroup.firstLike(result, results)
                  .map(first -> "for the same reason as " + first.about().name())
                  .orElseGet(() -> String.join("; ", result.causes())));
    }
    out.accept(line.toString());
  }

  @Override
  public void finished(ConformanceReport report) {
    out.accept(report.summary().stripTrailing());
  }
}
