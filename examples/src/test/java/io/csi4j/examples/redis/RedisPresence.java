package io.csi4j.examples.redis;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Looks for the program of Redis, and decides about the tests that need it. */
final class RedisPresence implements ExecutionCondition {

  private static final String MISSING =
      "No Redis: there is no redis-server on the PATH. Install it (on Debian the package"
          + " redis-server)";

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (RedisServer.program().isPresent()) {
      return ConditionEvaluationResult.enabled("with a real Redis");
    }
    if ("1".equals(System.getenv("REDIS_TEST_REQUIRED"))) {
      throw new IllegalStateException(MISSING + " (and REDIS_TEST_REQUIRED is set)");
    }
    return ConditionEvaluationResult.disabled(MISSING);
  }
}
