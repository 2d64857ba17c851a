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
 * The conformance suite for CSI plugins. It checks the spec's rules for plugins, as far as a caller
 * can observe whether a plugin keeps them.
 *
 * @since 1.0
 */
public final class PluginConformance {

  private PluginConformance() {}

  /** Returns all cases, in the order in which they run. */
  public static List<ConformanceCase> cases() {
    return List.copyOf(Suite.cases());
  }

  /** Runs all cases. */
  public static ConformanceReport run(PluginUnderTest plugin, ConformanceListener listener) {
    return run(plugin, each -> true, listener);
  }

  /**
   * Runs some of the cases, one after the other.
   *
   * @param which selects the cases, such as {@code ConformanceCase.named("node/*")}
   * @throws java.io.UncheckedIOException if no directory for paths can be created, or the command
   *     of the plugin fails
   */
  public static ConformanceReport run(
      PluginUnderTest plugin, Predicate<ConformanceCase> which, ConformanceListener listener) {
    try (ConformanceRun run = open(plugin)) {
      return run.run(cases().stream().filter(which).toList(), listener);
    }
  }

  /**
   * Removes the objects of a run that ended without removing them. The ledger in the description
   * lists these objects.
   *
   * @return the objects that could not be removed, one line each; if there are any, the ledger is
   *     kept
   * @throws IllegalArgumentException if the description names no ledger, or the ledger cannot be
   *     read
   * @throws java.io.UncheckedIOException if no directory for paths can be created, or the command
   *     of the plugin fails
   */
  public static List<String> cleanUpAfter(PluginUnderTest plugin) {
    return SuiteRun.cleanUpAfter(plugin);
  }

  /**
   * Opens a run in which the caller starts each case, for use by a test framework.
   *
   * @throws java.io.UncheckedIOException if no directory for paths can be created, or the command
   *     of the plugin fails
   */
  public static ConformanceRun open(PluginUnderTest plugin) {
    return SuiteRun.open(plugin);
  }
}
