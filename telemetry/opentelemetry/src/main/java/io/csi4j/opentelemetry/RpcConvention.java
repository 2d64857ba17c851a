package io.csi4j.opentelemetry;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names for spans of calls, from OpenTelemetry's semantic conventions. While programs migrate
 * from one to the other, the environment decides which names all instrumentations of a process
 * emit.
 */
enum RpcConvention {
  /** The experimental names, as of release 1.37. */
  EXPERIMENTAL,
  /** The stable names, as of release 1.45. */
  STABLE,
  /** Both sets of names; an attribute with different values in each has the stable value. */
  BOTH;

  /** The environment variable, and the system property that has precedence. */
  static final String VARIABLE = "OTEL_SEMCONV_STABILITY_OPT_IN";

  static final String PROPERTY = "otel.semconv-stability.opt-in";

  /** Returns the convention with which the process was started. */
  static RpcConvention ofProcess() {
    return of(
        Optional.ofNullable(System.getProperty(PROPERTY))
            .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
            .orElse(""));
  }

  /**
   * Returns the convention selected by a comma-separated list. Other entries of the list are
   * ignored.
   */
  static RpcConvention of(String optIn) {
    Set<String> entries =
        Arrays.stream(optIn.split(",", -1)).map(String::strip).collect(Collectors.toSet());
    if (entries.contains("rpc/dup")) {
      return BOTH;
    }
    return entries.contains("rpc") ? STABLE : EXPERIMENTAL;
  }

  boolean isExperimental() {
    return this != STABLE;
  }

  boolean isStable() {
    return this != EXPERIMENTAL;
  }
}
