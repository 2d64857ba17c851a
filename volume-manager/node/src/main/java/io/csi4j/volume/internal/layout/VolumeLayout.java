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
import org.jspecify.annotations.Nullable;

/**
 * Decides the paths of a volume below the root. The names of directories are hashes, so they never
 * contain text from a caller.
 *
 * <pre>
 * state/            the journal
 * v/VOLUME/who      the identity file of the volume
 * v/VOLUME/s        the staging path
 * v/VOLUME/p/USE/t  the target of one use
 * </pre>
 */
public final class VolumeLayout {

  /** The number of bytes by which the longest path, the path of a target, exceeds the root. */
  static final int BELOW_ROOT = "/v/".length() + 26 + "/p/".length() + 26 + "/t".length();

  private final MountPath root;

  /**
   * Null until first use, because the length of the root must be checked before longer paths are
   * built.
   */
  private volatile @Nullable MountPath state;

  /** Null until first use, like {@link #state}. */
  private volatile @Nullable MountPath volumes;

  /** Creates the layout below the directory of a manager. */
  public VolumeLayout(MountPath root) {
    this.root = root;
  }

  /**
   * The directory of one volume. This object lets several paths share one computation of the hashed
   * name.
   *
   * @param path the path of the directory
   */
  public record Home(MountPath path) {

    /** Returns the identity file. */
    public MountPath who() {
      return path.resolve("who");
    }

    /** Returns the staging path of the volume. */
    public MountPath staging() {
      return path.resolve("s");
    }

    /** Returns the directory that contains the directories of the volume's uses. */
    public MountPath uses() {
      return path.resolve("p");
    }

    /** Returns the directory of one use, which the manager creates. */
    public MountPath use(VolumeUse usage) {
      return uses().resolve(StrayUse.directory(usage).orElseGet(() -> id(usage)));
    }

    /** Returns the target of one use, which the plugin creates. */
    public MountPath target(VolumeUse usage) {
      return use(usage).resolve("t");
    }
  }

  /** Returns the directory of the manager. */
  public MountPath root() {
    return root;
  }

  /** Returns the directory of a volume. */
  public Home home(VolumeIdentity identity) {
    return home(id(identity));
  }

  /** Returns the directory of the volume with this name. */
  public Home home(String name) {
    return new Home(volumes().resolve(name));
  }

  /** Returns the directory of the state. */
  public MountPath state() {
    MountPath known = state;
    if (known == null) {
      known = root.resolve("state");
      state = known;
    }
    return known;
  }

  /** Returns the trouble file, which lists the obstacles of volumes. */
  public MountPath trouble() {
    return root.resolve("trouble");
  }

  /** Returns the directory that contains the directories of the volumes. */
  public MountPath volumes() {
    MountPath known = volumes;
    if (known == null) {
      known = root.resolve("v");
      volumes = known;
    }
    return known;
  }

  /**
   * Returns the name of the volume directory that contains a path; empty if no volume directory
   * contains it.
   */
  public Optional<String> volumeOf(MountPath path) {
    if (!path.isWithin(volumes()) || path.equals(volumes())) {
      return Optional.empty();
    }
    String below = path.toString().substring(volumes().toString().length() + 1);
    int end = below.indexOf('/');
    return Optional.of(end < 0 ? below : below.substring(0, end));
  }

  /**
   * Returns whether a path is a directory that the manager itself uses: the root, the volumes
   * directory, the state directory, or a directory of a volume above its mounts.
   */
  public boolean isOwnDirectory(MountPath path) {
    if (path.equals(root) || path.equals(volumes()) || path.isWithin(state())) {
      return true;
    }
    MountPath above = path.parent();
    return isHome(path) || isUses(path) || isUses(above);
  }

  /** Returns whether a path is the directory of a volume. */
  private boolean isHome(MountPath path) {
    return path.parent().equals(volumes());
  }

  /** Returns whether a path is the directory of the uses of a volume. */
  private boolean isUses(MountPath path) {
    return isNamed(path, 'p') && isHome(path.parent());
  }

  private static boolean isNamed(MountPath path, char letter) {
    byte[] name = path.name();
    return name.length == 1 && name[0] == letter;
  }

  /** Returns the directory of a volume. */
  public MountPath volume(VolumeIdentity identity) {
    return home(identity).path();
  }

  /** Returns the identity file of a volume. */
  public MountPath who(VolumeIdentity identity) {
    return home(identity).who();
  }

  /** Returns the staging path of a volume. */
  public MountPath staging(VolumeIdentity identity) {
    return home(identity).staging();
  }

  /** Returns whether a path is the staging path or a target of a volume. */
  public boolean isStagingOrTarget(MountPath path) {
    MountPath above = path.parent();
    return isNamed(path, 's') ? isHome(above) : isNamed(path, 't') && isUses(above.parent());
  }

  /** Returns the directory that contains the directories of a volume's uses. */
  public MountPath uses(VolumeIdentity identity) {
    return home(identity).uses();
  }

  /** Returns the directory of one use, which the manager creates. */
  public MountPath use(VolumeIdentity identity, VolumeUse usage) {
    return home(identity).use(usage);
  }

  /** Returns the target of one use, which the plugin creates. */
  public MountPath target(VolumeIdentity identity, VolumeUse usage) {
    return home(identity).target(usage);
  }

  /** Returns the key of a volume in the state. */
  public StateKey key(VolumeIdentity identity) {
    return StateKey.volume(id(identity));
  }

  /** Returns the name of a volume's directory and of its record. */
  public static String id(VolumeIdentity identity) {
    return HashedName.of(identity.plugin().value(), identity.handle().value());
  }

  /** Returns the name of a use's directory. */
  public static String id(VolumeUse usage) {
    return HashedName.of(
        usage.volume().namespace().value(), usage.volume().id(), usage.workload().value());
  }

  /** A stray use is known only by its directory: the names of its volume and workload are lost. */
  public static final class StrayUse {

    private static final Namespace NAMESPACE = Namespace.of("?");

    private StrayUse() {}

    /** Returns the stray use that stands for this directory of a volume. */
    public static VolumeUse of(VolumeIdentity identity, String directory) {
      return VolumeUse.of(
          VolumeKey.of(NAMESPACE, VolumeLayout.id(identity)), WorkloadId.of(directory));
    }

    /** Returns the name of the directory if the use is a stray use. */
    public static Optional<String> directory(VolumeUse usage) {
      return isStray(usage) ? Optional.of(usage.workload().value()) : Optional.empty();
    }

    /** Returns the stray use that would replace this use if its name were lost. */
    public static VolumeUse of(VolumeIdentity identity, VolumeUse usage) {
      return of(identity, VolumeLayout.id(usage));
    }

    /** Returns whether a use is a stray use. A host cannot request a stray use. */
    public static boolean isStray(VolumeUse usage) {
      // The name is checked because it becomes part of a path.
      return usage.volume().namespace().equals(NAMESPACE)
          && HashedName.isName(usage.workload().value());
    }
  }
}
