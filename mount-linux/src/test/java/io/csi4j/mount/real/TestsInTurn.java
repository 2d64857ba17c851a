package io.csi4j.mount.real;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs classes of tests one after another where there is no Maven, and prints a line for each test
 * when it ends. {@code testing/kernels} reads these lines. Campaigns are left out, unless the
 * system property {@code csi4j.campaigns} is true.
 */
public final class TestsInTurn implements TestExecutionListener {

  /** System calls of newer kernels that are hidden from all tests, by their names. */
  private static final String HIDDEN = System.getProperty("csi4j.hidden.calls", "");

  private static final boolean CAMPAIGNS = Boolean.getBoolean("csi4j.campaigns");

  private final PrintStream out;
  private long begun;
  private int passed;
  private int failed;
  private int skipped;

  private TestsInTurn(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the classes named; without any, prints the features of the kernel. Ends with 1 if a test
   * failed or a class had none.
   */
  public static void main(String[] args) {
    HiddenCalls.hideFromAll(HIDDEN);
    if (args.length == 0) {
      printFeatures(System.out);
      System.exit(0);
    }
    boolean isGood = true;
    for (String name : List.of(args)) {
      isGood &= new TestsInTurn(System.out).run(name);
    }
    System.exit(isGood ? 0 : 1);
  }

  private static void printFeatures(PrintStream out) {
    KernelFeatures features = RunningKernel.kernel().features();
    for (Feature feature : Feature.values()) {
      out.printf("feature %s %s%n", feature, features.obstacle(feature).orElse("yes"));
    }
  }

  private boolean run(String name) {
    out.printf("class %s%n", name);
    long start = System.nanoTime();
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(name));
    if (!CAMPAIGNS) {
      request.filters(TagFilter.excludeTags("campaign"));
    }
    LauncherFactory.create().execute(request.build(), this);
    if (passed + failed + skipped == 0) {
      failed++;
      out.printf("  FAILED %s: no test of it was run%n", name);
    }
    out.printf(
        "ended %s: %d passed, %d failed, %d skipped, %d s%n",
        name, passed, failed, skipped, Duration.ofNanos(System.nanoTime() - start).toSeconds());
    return failed == 0;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      begun = System.nanoTime();
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    skipped++;
    out.printf("  skipped %s: %s%n", named(test), reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    String why = result.getThrowable().map(Throwable::toString).orElse("");
    switch (result.getStatus()) {
      case SUCCESSFUL -> {
        if (test.isTest()) {
          passed++;
          out.printf(
              "  passed %s in %d ms%n", named(test), (System.nanoTime() - begun) / 1_000_000);
        }
      }
      case ABORTED -> {
        skipped++;
        out.printf("  skipped %s: %s%n", named(test), why);
      }
      case FAILED -> {
        failed++;
        out.printf("  FAILED %s: %s%n", named(test), why);
        result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(out));
      }
    }
  }

  private static String named(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    String method = source instanceof MethodSource of ? of.getMethodName() + " " : "";
    return method + test.getDisplayName();
  }
}
