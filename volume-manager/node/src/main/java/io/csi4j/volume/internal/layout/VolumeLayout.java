package io.csi4j.volume.internal.layout;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateKey;
import java.util.Optional;

/**
 * Where everything of a volume lies below the root. Names are hashes, never text of a caller.
 *
 * <pre>
 * state/            the journal
 * v/VOLUME/who      whose directory it is
 * v/VOLUME/s        the staging path
 * v/VOLUME/p/USE/t  the target of one use
 * </pre>
 */
public final class VolumeLayout {

  /** How many bytes the longest path has beyond those of the root: that of a target. */
  static final int BELOW_ROOT = "/v/".length() + 26 + "/p/".length() + 26 + "/t".length();

  private final MountPath root;
  private final MountPath state;
  private final MountPath volumes;

  /** The paths below the directory of a manager. */
  public VolumeLayout(MountPath root) {
    this.root = root;
    state = root.resolve("state");
    volumes = root.resolve("v");
  }

  /**
   * The directory of one volume: its name is hashed once for several paths.
   *
   * @param path where it is
   */
  public record Home(MountPath path) {

    /** The file that says whose directory it is. */
    public MountPath who() {
      return path.resolve("who");
    }

    /** The only staging path of the volume. */
    public MountPath staging() {
      return path.resolve("s");
    }

    /** The directory that holds those of its uses. */
    public MountPath uses() {
      return path.resolve("p");
    }

    /** The directory of one use, made by us. */
    public MountPath use(VolumeUse usage) {
      return uses().resolve(StrayUse.directory(usage).orElseGet(() -> id(usage)));
    }

    /** Where the volume appears for one use; made by the plugin. */
    public MountPath target(VolumeUse usage) {
      return use(usage).resolve("t");
    }
  }

  /** The directory of the manager. */
  public MountPath root() {
    return root;
  }

  /** The directory of a volume. */
  public Home home(VolumeIdentity identity) {
    return home(id(identity));
  }

  /** The directory of the volume with this name. */
  public Home home(String name) {
    return new Home(volumes().resolve(name));
  }

  /** The directory of the state. */
  public MountPath state() {
    return state;
  }

  /** The directory that holds those of the volumes. */
  public MountPath volumes() {
    return volumes;
  }

  /** The name of the volume's directory that a path is in, if it is in one. */
  public Optional<String> volumeOf(MountPath path) {
    if (!path.isWithin(volumes()) || path.equals(volumes())) {
      return Optional.empty();
    }
    String below = path.toString().substring(volumes().toString().length() + 1);
    int end = below.indexOf('/');
    return Optional.of(end < 0 ? below : below.substring(0, end));
  }

  /**
   * Whether a path is a directory that the manager made for itself, in which it makes others: the
   * root, the state, or one of a volume above its mounts.
   */
  public boolean isOwnDirectory(MountPath path) {
    if (path.equals(root) || path.equals(volumes) || path.isWithin(state)) {
      return true;
    }
    MountPath above = path.parent();
    return isHome(path) || isUses(path) || isUses(above);
  }

  /** Whether a path is a directory of some volume. */
  private boolean isHome(MountPath path) {
    return path.parent().equals(volumes);
  }

  /** Whether a path is the directory of the uses of some volume. */
  private boolean isUses(MountPath path) {
    return isNamed(path, 'p') && isHome(path.parent());
  }

  private static boolean isNamed(MountPath path, char letter) {
    byte[] name = path.name();
    return name.length == 1 && name[0] == letter;
  }

  /** The directory of a volume. */
  public MountPath volume(VolumeIdentity identity) {
    return home(identity).path();
  }

  /** The file that says whose directory it is. */
  public MountPath who(VolumeIdentity identity) {
    return home(identity).who();
  }

  /** The only staging path of a volume. */
  public MountPath staging(VolumeIdentity identity) {
    return home(identity).staging();
  }

  /** Whether a path is the staging path or a target of some volume. */
  public boolean isStagingOrTarget(MountPath path) {
    MountPath above = path.parent();
    return isNamed(path, 's') ? isHome(above) : isNamed(path, 't') && isUses(above.parent());
  }

  /** The directory that holds those of the uses of a volume. */
  public MountPath uses(VolumeIdentity identity) {
    return home(identity).uses();
  }

  /** The directory of one use, made by us. */
  public MountPath use(VolumeIdentity identity, VolumeUse usage) {
    return home(identity).use(usage);
  }

  /** Where a volume appears for one use; made by the plugin. */
  public MountPath target(VolumeIdentity identity, VolumeUse usage) {
    return home(identity).target(usage);
  }

  /** The key of a volume in the state. */
  public StateKey key(VolumeIdentity identity) {
    return StateKey.volume(id(identity));
  }

  /** The name of a volume's directory, and of its record. */
  public static String id(VolumeIdentity identity) {
    return HashedName.of(identity.plugin().value(), identity.handle().value());
  }

  /** The name of a use's directory. */
  public static String id(VolumeUse usage) {
    return HashedName.of(
        usage.volume().namespace().value(), usage.volume().id(), usage.workload().value());
  }

  /** A use of which only the directory is left: its workload is not known any more. */
  public static final class StrayUse {

    private static final Namespace NAMESPACE = Namespace.of("?");

    private StrayUse() {}

    /** The use that a directory of a volume stands for. */
    public static VolumeUse of(VolumeIdentity identity, String directory) {
      return VolumeUse.of(
          VolumeKey.of(NAMESPACE, VolumeLayout.id(identity)), WorkloadId.of(directory));
    }

    /** The name of the directory, if the use is a stray one. */
    public static Optional<String> directory(VolumeUse usage) {
      return isStray(usage) ? Optional.of(usage.workload().value()) : Optional.empty();
    }

    /** The stray use that a use of a host would be, had its name been lost. */
    public static VolumeUse of(VolumeIdentity identity, VolumeUse usage) {
      return of(identity, VolumeLayout.id(usage));
    }

    /** Whether it is; a host cannot ask for one. */
    public static boolean isStray(VolumeUse usage) {
      // A name that is none of ours must not become a path.
      return usage.volume().namespace().equals(NAMESPACE)
          && HashedName.isName(usage.workload().value());
    }
  }
}
