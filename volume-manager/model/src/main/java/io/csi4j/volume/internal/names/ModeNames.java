package io.csi4j.volume.internal.names;

import io.csi4j.client.model.AccessMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The names of access modes in job descriptions, such as {@code single-node-writer}. */
public final class ModeNames {

  private ModeNames() {}

  /**
   * Returns the mode with this name.
   *
   * @throws IllegalArgumentException for an unknown name; the message lists the valid names
   */
  public static AccessMode parse(String word) {
    return stated()
        .filter(mode -> word(mode).equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    stated()
                        .map(ModeNames::word)
                        .collect(Collectors.joining(", ", "The access modes are ", "."))));
  }

  /**
   * Returns text that explains how many workloads of a node a mode admits, and which modes admit
   * more: {@code SINGLE_NODE_WRITER admits one workload (...)}.
   */
  public static String limit(AccessMode mode) {
    return mode
        + switch (mode) {
          case SINGLE_NODE_READER_ONLY ->
              " admits one workload (MULTI_NODE_READER_ONLY admits several)";
          case MULTI_NODE_SINGLE_WRITER ->
              " admits one writer (besides it only readers; MULTI_NODE_MULTI_WRITER admits "
                  + "several writers)";
          default ->
              " admits one workload (SINGLE_NODE_MULTI_WRITER and MULTI_NODE_MULTI_WRITER admit"
                  + " several)";
        };
  }

  /** Returns text that explains how many nodes a mode admits, and which modes admit more. */
  public static String limitOfNodes(AccessMode mode) {
    return mode == AccessMode.MULTI_NODE_SINGLE_WRITER
        ? limit(mode)
        : mode
            + " admits one node (MULTI_NODE_READER_ONLY admits readers on several, and"
            + " MULTI_NODE_MULTI_WRITER also writers)";
  }

  private static Stream<AccessMode> stated() {
    return Arrays.stream(AccessMode.values()).filter(AccessMode::isStated);
  }

  private static String word(AccessMode mode) {
    return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
