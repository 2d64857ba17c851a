package io.csi4j.volume.workload;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountPath;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A directory of the host that a runtime shows to a task: what to put into its configuration.
 *
 * @param source the directory on the host
 * @param destination where the task sees it
 * @param readOnly whether the task only reads
 * @param propagation which mounts below it the task and the host show each other
 * @param relabel how its files are labelled for SELinux, if they are
 * @since 1.0
 */
public record BindMount(
    MountPath source,
    MountPath destination,
    boolean readOnly,
    MountPropagation propagation,
    Optional<SelinuxRelabel> relabel) {

  /** Checks that all parts are there. */
  public BindMount {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(destination, "destination");
    Objects.requireNonNull(propagation, "propagation");
    Objects.requireNonNull(relabel, "relabel");
  }

  /** A directory as it is. */
  public static BindMount of(MountPath source, MountPath destination) {
    return new BindMount(source, destination, false, MountPropagation.PRIVATE, Optional.empty());
  }

  /**
   * Its options as an OCI runtime takes them: {@code rbind}, {@code ro} or {@code rw}, {@code
   * rprivate}, {@code rslave} or {@code rshared}. Labels are no option there; some engines take the
   * letter of {@link #relabel} after them.
   */
  public List<String> options() {
    return List.of("rbind", readOnly ? "ro" : "rw", propagation.kernel().kernelWord());
  }

  /**
   * The same for the kernel, for a host that has no runtime: the place in a task whose files are
   * below a directory. Mounts that are below the source come along; labels do not.
   *
   * @param root the directory that the task sees as its root
   */
  public BindRequest below(MountPath root) {
    return BindRequest.builder(source, below(root, destination))
        .recursive(true)
        .readOnly(readOnly)
        .propagation(propagation.kernel())
        .build();
  }

  /** Returns the mount of the same place, shown from another path of the host. */
  BindMount from(MountPath other) {
    return new BindMount(other, destination, readOnly, propagation, relabel);
  }

  private static MountPath below(MountPath root, MountPath destination) {
    byte[] above = root.isRoot() ? new byte[0] : root.bytes();
    byte[] below = destination.bytes();
    byte[] joined = Arrays.copyOf(above, above.length + below.length);
    System.arraycopy(below, 0, joined, above.length, below.length);
    return MountPath.ofBytes(joined);
  }
}
