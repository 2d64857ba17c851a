package io.csi4j.volume.workload;

import io.csi4j.mount.model.MountPath;
import java.util.Objects;

/**
 * A block device of the host that a runtime gives to a task: what to put into its configuration.
 *
 * @param source the device node on the host
 * @param destination where the task sees it
 * @param readOnly whether the task only reads
 * @since 1.0
 */
public record TaskDevice(MountPath source, MountPath destination, boolean readOnly) {

  /** Checks that all parts are there. */
  public TaskDevice {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(destination, "destination");
  }

  /** Returns the rights of the task, as runtimes write them: read, write, make the node. */
  public String permissions() {
    return readOnly ? "rm" : "rwm";
  }
}
