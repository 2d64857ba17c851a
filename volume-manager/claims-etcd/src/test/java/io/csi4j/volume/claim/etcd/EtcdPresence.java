package io.csi4j.volume.claim.etcd;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Looks for the program, and decides about the tests that need it. */
final class EtcdPresence implements ExecutionCondition {

  private static final String MISSING =
      "No etcd: there is no program of that name on the PATH. Install it (on Debian the package"
          + " etcd-server)";

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (EtcdServer.program().isPresent()) {
      return ConditionEvaluationResult.enabled("with a real etcd");
    }
    if ("1".equals(System.getenv("ETCD_TEST_REQUIRED"))) {
      throw new IllegalStateException(MISSING + " (and ETCD_TEST_REQUIRED is set)");
    }
    return ConditionEvaluationResult.disabled(MISSING);
  }
}
