package io.csi4j.conformance;

import io.csi4j.conformance.internal.plugin.Suite;
import io.csi4j.conformance.internal.plugin.SuiteRun;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.List;
import java.util.function.Predicate;

/**
 * The conformance suite for CSI plugins: what the spec asks of them, as far as callers see it.
 *
 * @since 1.0
 */
public final class PluginConformance {

  private PluginConformance() {}

  /** Every case, in the order in which they run. */
  public static List<ConformanceCase> cases() {
    return List.copyOf(Suite.cases());
  }

  /** Runs every case. */
  public static ConformanceReport run(PluginUnderTest plugin, ConformanceListener listener) {
    return run(plugin, each -> true, listener);
  }

  /**
   * Runs some cases, one after the other.
   *
   * @param which which of them, such as {@code ConformanceCase.named("node/*")}
   * @throws java.io.UncheckedIOException if no directory for paths can be made, or the command of
   *     the plugin fails
   */
  public static ConformanceReport run(
      PluginUnderTest plugin, Predicate<ConformanceCase> which, ConformanceListener listener) {
    try (ConformanceRun run = open(plugin)) {
      return run.run(cases().stream().filter(which).toList(), listener);
    }
  }

  /**
   * Undoes what a run that did not live to do so noted in the ledger of the description.
   *
   * @return what could not be undone, a line each; the ledger then stays
   * @throws IllegalArgumentException if the description names no ledger, or it cannot be read
   * @throws java.io.UncheckedIOException if no directory for paths can be made, or the command of
   *     the plugin fails
   */
  public static List<String> cleanUpAfter(PluginUnderTest plugin) {
    return SuiteRun.cleanUpAfter(plugin);
  }

  /**
   * A run in which each case is started by the caller, as test frameworks need it.
   *
   * @throws java.io.UncheckedIOException if no directory for paths can be made, or the command of
   *     the plugin fails
   */
  public static ConformanceRun open(PluginUnderTest plugin) {
    return SuiteRun.open(plugin);
  }
}
