package io.csi4j.volume.claim.jdbc;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Looks for the programs of PostgreSQL, and decides about the tests that need them. */
final class PostgresPresence implements ExecutionCondition {

  private static final String MISSING =
      "No PostgreSQL: there is no initdb on the PATH or below /usr/lib/postgresql. Install it (on"
          + " Debian the package postgresql)";

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (PostgresServer.programs().isPresent()) {
      return ConditionEvaluationResult.enabled("with a real PostgreSQL");
    }
    if ("1".equals(System.getenv("POSTGRES_TEST_REQUIRED"))) {
      throw new IllegalStateException(MISSING + " (and POSTGRES_TEST_REQUIRED is set)");
    }
    return ConditionEvaluationResult.disabled(MISSING);
  }
}
