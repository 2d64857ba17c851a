package io.csi4j.volume.model;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.VolumeHealthEntry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The known faults of a volume, as told by a plugin of CSI 1.13, by one of CSI 1.3 to 1.12, or seen
 * by csi4j. Meant for people and for policies of a host: csi4j repairs nothing because of them.
 *
 * <pre>{@code
 * manager.status(volume).forEach(
 *     status -> status.health().worst().ifPresent(finding -> page(finding.text())));
 * }</pre>
 *
 * @param findings each fault once for each who tells of it, the worst first; none if nothing is
 *     known to be wrong
 * @since 1.0
 */
@Experimental
public record VolumeHealth(List<Finding> findings) {

  /** The reason of a fault that a plugin of CSI 1.3 to 1.12 tells, which has no reasons. */
  public static final String CONDITION = "VolumeCondition";

  private static final VolumeHealth WELL = new VolumeHealth(List.of());

  /** Copies the findings, and brings them into order. */
  public VolumeHealth {
    List<Finding> sorted = new ArrayList<>(findings);
    sorted.sort(
        Comparator.comparing((Finding finding) -> finding.entry().status())
            .reversed()
            .thenComparing(Finding::since));
    findings = List.copyOf(sorted);
  }

  /** Returns the health of a volume without known faults. */
  public static VolumeHealth well() {
    return WELL;
  }

  /** Whether no fault is known. */
  public boolean isWell() {
    return findings.isEmpty();
  }

  /** Returns the worst fault, if there is one. */
  public Optional<Finding> worst() {
    return findings.stream().findFirst();
  }

  /** Returns the faults of both: of several nodes, or of a node and a controller. */
  public VolumeHealth and(VolumeHealth other) {
    List<Finding> all = new ArrayList<>(findings);
    all.addAll(other.findings);
    return new VolumeHealth(all);
  }

  /**
   * One fault.
   *
   * @param entry the status, the reason and the words for it
   * @param source the one who tells it
   * @param since the time when it was told first
   * @param asOf the time when it was told last
   */
  public record Finding(VolumeHealthEntry entry, Source source, Instant since, Instant asOf) {

    /**
     * In words, in one line: {@code INACCESSIBLE (DiskFailing), the plugin on node 'n1' says since
     * 2026-11-24T03:00:00Z: 'two disks do not answer'}.
     */
    public String text() {
      return entry.fault()
          + ", "
          + source
          + " since "
          + since.truncatedTo(ChronoUnit.SECONDS)
          + (entry.message().isEmpty() ? "" : ": '" + entry.message() + "'");
    }
  }

  /**
   * One who can tell how a volume is.
   *
   * @param kind the kind
   * @param node the node, where the host has given it a name
   */
  public record Source(Kind kind, Optional<NodeName> node) {

    /** The kinds. */
    public enum Kind {
      /** The plugin's controller, which speaks for every node. */
      CONTROLLER,
      /** The plugin on a node, which speaks for that node. */
      NODE,
      /** csi4j itself, which has looked at the mounts of a node. */
      HOST
    }

    /** The plugin's controller. */
    public static Source controller() {
      return new Source(Kind.CONTROLLER, Optional.empty());
    }

    @Override
    public String toString() {
      String at = node.map(name -> " on node '" + name + "'").orElse("");
      return switch (kind) {
        case CONTROLLER -> "the plugin's controller says";
        case NODE -> "the plugin" + at + " says";
        case HOST -> "seen" + at;
      };
    }
  }
}
