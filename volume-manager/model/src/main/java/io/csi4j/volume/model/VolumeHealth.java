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
 * The known faults of a volume. Plugins of CSI 1.13 report faults, plugins of CSI 1.3 to 1.12
 * report them in an older form, and csi4j itself detects some faults. The information is intended
 * for people and for policies of a host; csi4j does not repair the faults.
 *
 * <pre>{@code
 * manager.status(volume).forEach(
 *     status -> status.health().worst().ifPresent(finding -> page(finding.text())));
 * }</pre>
 *
 * @param findings the faults, the worst first; a fault that several sources reported occurs once
 *     for each source. Empty if no fault is known
 * @since 1.0
 */
@Experimental
public record VolumeHealth(List<Finding> findings) {

  /**
   * The reason of every fault that a plugin of CSI 1.3 to 1.12 reported, because those versions
   * have no reasons.
   */
  public static final String CONDITION = "VolumeCondition";

  private static final VolumeHealth WELL = new VolumeHealth(List.of());

  /** Copies and sorts the findings. */
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

  /** Whether the volume has no known fault. */
  public boolean isWell() {
    return findings.isEmpty();
  }

  /** Returns the worst fault, if there is one. */
  public Optional<Finding> worst() {
    return findings.stream().findFirst();
  }

  /**
   * Returns the faults of this and the other report, for example of two nodes, or of a node and a
   * controller.
   */
  public VolumeHealth and(VolumeHealth other) {
    List<Finding> all = new ArrayList<>(findings);
    all.addAll(other.findings);
    return new VolumeHealth(all);
  }

  /**
   * A fault of a volume.
   *
   * @param entry the status, the reason and the message
   * @param source the source of the report
   * @param since the time of the first report
   * @param asOf the time of the last report
   */
  public record Finding(VolumeHealthEntry entry, Source source, Instant since, Instant asOf) {

    /**
     * Returns the fault as text, in one line: {@code INACCESSIBLE (DiskFailing), the plugin on node
     * 'n1' says since 2026-11-24T03:00:00Z: 'two disks do not answer'}.
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
   * A source of health reports.
   *
   * @param kind the kind of source
   * @param node the node, if the host has named it
   */
  public record Source(Kind kind, Optional<NodeName> node) {

    /** The kinds of sources. */
    public enum Kind {
      /** The plugin's controller. Its report is valid for all nodes. */
      CONTROLLER,
      /** The plugin on a node. Its report is valid for that node. */
      NODE,
      /** The manager on a node, which detected the fault from the mounts. */
      HOST
    }

    /** Returns the plugin's controller as a source. */
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
