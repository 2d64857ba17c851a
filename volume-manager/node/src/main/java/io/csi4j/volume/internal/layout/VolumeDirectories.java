package io.csi4j.volume.internal.layout;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.FileStatus;
import io.csi4j.volume.internal.disk.Filesystems;
import io.csi4j.volume.internal.disk.HeldDirectory;
import io.csi4j.volume.internal.path.CarefulDisk;
import io.csi4j.volume.internal.path.CarefulDisk.Made;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.PathProblem.Kind;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Creates and removes the directories of volumes. Never accesses a mount point or any file below
 * it: callers must read the mount table first. Removes only empty directories and the manager's own
 * files.
 *
 * <p>The root is synced when it is prepared. The directories of volumes are not synced, because a
 * power loss also removes all mounts: remains of directories can be completed or removed, and the
 * state names their volumes. Every method can be repeated after a crash, and continues the
 * interrupted work. Safe for use by several threads, if only one thread at a time works on a
 * volume.
 */
public final class VolumeDirectories implements AutoCloseable {

  /** The maximum length of a path that every plugin must accept, in bytes. */
  private static final int PLUGIN_BUDGET = 128;

  private static final int LONGEST_PATH = 4095;

  private static final Set<String> OURS = Set.of("who", "who.new", "s", "p");

  private final CarefulDisk disk;
  private final VolumeLayout layout;

  /** The root directory, held from its preparation until this object is closed. */
  private volatile @Nullable HeldDirectory root;

  /** Creates an object that works on this disk. */
  public VolumeDirectories(Disk disk, VolumeLayout layout) {
    this.disk = new CarefulDisk(disk);
    this.layout = layout;
  }

  /**
   * A volume that was found by its directory.
   *
   * @param identity the volume
   * @param uses the names of the directories of its uses
   */
  public record Found(VolumeIdentity identity, List<String> uses) {

    /** Copies the list. */
    public Found {
      uses = List.copyOf(uses);
    }
  }

  /** Returns the volumes that directories belong to, according to the records. */
  @FunctionalInterface
  public interface Owners {

    /** Returns the volume on record that a directory with this name belongs to. */
    Optional<VolumeIdentity> of(String directory);

    /**
     * Returns the volume that a directory with this name belonged to, if that volume was released
     * recently.
     */
    default Optional<VolumeIdentity> before(String directory) {
      return Optional.empty();
    }
  }

  // ---- the root

  /**
   * Creates the root if only the last directory of its path is missing, checks that it is usable,
   * and creates its subdirectories. Returns warnings.
   */
  public List<Finding> prepareRoot() throws PathProblem {
    List<Finding> findings = new ArrayList<>();
    MountPath root = layout.root();
    checkLength(root, findings);
    for (MountPath above : above(root)) {
      checkAbove(above);
    }
    checkOwner(root);
    // If the manager has never stored anything in the root, a mode that gives other users access is
    // corrected without a warning: the host has just created the directory.
    boolean made = disk.make(root, isFresh(root) ? new ArrayList<>() : findings);
    checkOwner(root);
    checkFilesystem(root, findings);
    boolean madeState = disk.make(layout.state(), findings);
    boolean madeVolumes = disk.make(layout.volumes(), findings);
    sync(root, madeState || madeVolumes);
    sync(root.parent(), made);
    hold();
    return findings;
  }

  private void hold() throws PathProblem {
    close();
    root = disk.hold(layout.root());
  }

  /**
   * Returns whether the path of the root no longer leads to the directory that was prepared.
   * Returns false if the root cannot be checked.
   */
  public boolean isMoved() {
    HeldDirectory held = root;
    try {
      return held != null && !disk.isAt(layout.root(), held);
    } catch (PathProblem unknown) {
      return false;
    }
  }

  // ---- obstacles of volumes

  /** Returns the obstacles of volumes, as they were last written to the trouble file. */
  public List<TroubleFile.Entry> trouble() {
    try {
      MountPath file = layout.trouble();
      return disk.isFile(file) ? TroubleFile.read(disk.read(file, TroubleFile.LIMIT)) : List.of();
    } catch (PathProblem unreadable) {
      return List.of();
    }
  }

  /**
   * Writes the obstacles of volumes to the trouble file, if possible. Returns whether that
   * succeeded.
   */
  public boolean writeTrouble(List<TroubleFile.Entry> entries) {
    if (isMoved()) {
      return false;
    }
    try {
      MountPath file = layout.trouble();
      if (entries.isEmpty()) {
        disk.delete(file);
      } else {
        disk.replace(file, layout.root().resolve("trouble.new"), TroubleFile.content(entries));
      }
      return true;
    } catch (PathProblem problem) {
      // The failure is ignored: no decision depends on this file, and a failing disk is reported by
      // the state.
      return false;
    }
  }

  /** Closes the held root directory. */
  @Override
  public void close() {
    HeldDirectory held = root;
    root = null;
    if (held != null) {
      held.close();
    }
  }

  /** Returns whether the root exists and the manager has never created its subdirectories. */
  private boolean isFresh(MountPath root) throws PathProblem {
    return disk.isDirectory(root)
        && disk.look(layout.state()).isEmpty()
        && disk.look(layout.volumes()).isEmpty();
  }

  /**
   * Syncs the names in a directory. The sync happens even if nothing was created now, because an
   * earlier process may have crashed between creating a name and its sync. If nothing was created
   * now, a failed sync is ignored, so that a failing disk does not stop releases.
   */
  private void sync(MountPath directory, boolean isNeeded) throws PathProblem {
    try {
      disk.sync(directory);
    } catch (PathProblem problem) {
      if (isNeeded) {
        throw problem;
      }
    }
  }

  private static void checkLength(MountPath root, List<Finding> findings) throws PathProblem {
    int longest = root.bytes().length + VolumeLayout.BELOW_ROOT;
    if (longest > LONGEST_PATH) {
      throw new PathProblem(
          Kind.TOO_LONG,
          root,
          "the root has %d bytes, but paths below it would have more than %d; use a shorter one"
              .formatted(root.bytes().length, LONGEST_PATH));
    }
    if (longest > PLUGIN_BUDGET) {
      findings.add(
          new Finding(
              OperatorCode.PLUGIN_PATH_BUDGET,
              root,
              ("paths below '%s' have up to %d bytes, but a plugin need not accept more than %d;"
                      + " use a root of at most %d bytes, or show it to plugins under a shorter path")
                  .formatted(
                      root, longest, PLUGIN_BUDGET, PLUGIN_BUDGET - VolumeLayout.BELOW_ROOT)));
    }
  }

  /** Returns the directories above a path, from the root of the host to the parent. */
  private static List<MountPath> above(MountPath path) {
    List<MountPath> all = new ArrayList<>();
    for (MountPath at = path; !at.isRoot(); at = at.parent()) {
      all.add(0, at.parent());
    }
    return all;
  }

  private void checkAbove(MountPath above) throws PathProblem {
    Optional<FileStatus> there = disk.look(above);
    if (there.isEmpty()) {
      throw new PathProblem(Kind.FAILED, above, "'%s' does not exist; make it".formatted(above));
    }
    if (there.get().kind() == FileFacts.Kind.LINK) {
      // The mount table shows paths without symbolic links, so the manager would not find its own
      // mounts.
      throw new PathProblem(
          Kind.SYMLINK,
          above,
          "'%s' is a symbolic link; use the path of its target".formatted(above));
    }
    if (there.get().kind() != FileFacts.Kind.DIRECTORY) {
      throw CarefulDisk.inTheWay(above, there.get(), "a directory");
    }
  }

  private void checkOwner(MountPath root) throws PathProblem {
    int user = disk.user(root);
    Optional<FileFacts> facts = disk.facts(root);
    if (facts.isPresent() && facts.get().owner() != user) {
      throw new PathProblem(
          Kind.DENIED,
          root,
          ("'%s' belongs to user %d with mode %s, but this process is user %d;"
                  + " run it as the owner, give the directory to user %d, or use another one")
              .formatted(
                  root, facts.get().owner(), CarefulDisk.octal(facts.get().mode()), user, user));
    }
  }

  private void checkFilesystem(MountPath root, List<Finding> findings) throws PathProblem {
    String type = disk.filesystemType(root);
    if (Filesystems.promiseTooLittle(type)) {
      findings.add(
          new Finding(
              OperatorCode.ROOT_FS_UNSUITED,
              root,
              "'%s' is on %s, which lacks reliable syncing; put it on a local disk"
                  .formatted(root, type)));
    }
  }

  // ---- volumes

  /**
   * Writes the identity file of a volume and creates the directories beside it. Call this only if
   * nothing is mounted at the staging path; with a mount, the file and the directories exist
   * already.
   */
  public List<Finding> prepareVolume(VolumeIdentity identity) throws PathProblem {
    List<Finding> findings = new ArrayList<>();
    VolumeLayout.Home home = layout.home(identity);
    prepareVolumes(findings);
    Made made = disk.madeNew(home.path(), findings);
    identify(identity, home, made, findings);
    make(home.staging(), made, findings);
    make(home.uses(), made, findings);
    return findings;
  }

  /** Writes the identity file of a volume, or checks the one that its directory has. */
  private void identify(
      VolumeIdentity identity, VolumeLayout.Home home, Made made, List<Finding> findings)
      throws PathProblem {
    if (made == Made.NOW) {
      disk.writeInside(home.who(), whoNew(home), IdentityFile.content(identity));
      return;
    }
    MountPath who = home.who();
    Optional<FileStatus> file = disk.file(who);
    byte[] content = file.isPresent() ? read(who) : new byte[0];
    if (isBlank(content)) {
      writeIdentity(identity, home);
      return;
    }
    Whose whose = whose(content, identity);
    if (whose != Whose.THIS) {
      throw wrongIdentity(who, whose, identity);
    }
    disk.restrictFile(who, file.orElseThrow(), findings);
  }

  /** Creates a directory inside the directory of a volume. */
  private void make(MountPath path, Made home, List<Finding> findings) throws PathProblem {
    if (home == Made.NOW) {
      disk.makeInside(path, findings);
    } else {
      disk.make(path, findings);
    }
  }

  private byte[] read(MountPath who) throws PathProblem {
    return disk.read(who, IdentityFile.LIMIT);
  }

  /** Creates the volumes directory again and reports it if it was removed since the start. */
  private void prepareVolumes(List<Finding> findings) throws PathProblem {
    boolean rootMade = disk.make(layout.root(), findings);
    boolean made = disk.make(layout.volumes(), findings);
    if (rootMade) {
      disk.sync(layout.root().parent());
    }
    if (made) {
      disk.sync(layout.root());
      MountPath gone = rootMade ? layout.root() : layout.volumes();
      findings.add(
          new Finding(
              OperatorCode.ROOT_VANISHED,
              gone,
              "'%s' was missing and was created again; find out who removed or unmounted it"
                  .formatted(gone)));
    }
  }

  private void writeIdentity(VolumeIdentity identity, VolumeLayout.Home home) throws PathProblem {
    disk.replace(home.who(), whoNew(home), IdentityFile.content(identity));
  }

  private static MountPath whoNew(VolumeLayout.Home home) {
    return home.path().resolve("who.new");
  }

  /** The owner of a directory according to its identity file. */
  private enum Whose {
    THIS,
    ANOTHER,
    NEWER,
    DAMAGED
  }

  private static Whose whose(byte[] content, VolumeIdentity identity) {
    if (Arrays.equals(content, IdentityFile.content(identity))) {
      return Whose.THIS;
    } else if (IdentityFile.read(content).isPresent()) {
      return Whose.ANOTHER;
    }
    return IdentityFile.isOfAnotherFormat(content) ? Whose.NEWER : Whose.DAMAGED;
  }

  private static PathProblem wrongIdentity(MountPath who, Whose whose, VolumeIdentity identity) {
    String text =
        switch (whose) {
          case THIS, ANOTHER ->
              "names another volume than %s as the owner of the directory; check both, and use "
                  + "neither";
          case NEWER ->
              "was written by a newer version, so this one cannot check whether it belongs to "
                  + "%s; run that version";
          case DAMAGED ->
              "is damaged, and should name %s; check the disk, then restart to rewrite it";
        };
    return new PathProblem(Kind.WRONG_IDENTITY, who, ("'%s' " + text).formatted(who, identity));
  }

  /**
   * Writes the identity file of a recorded volume again, if the directory exists and the file is
   * missing or damaged. A file that names another volume is kept and reported. The exception is a
   * reboot since the file was written: a power loss can leave old disk content in the file, so it
   * is then written again.
   */
  public Optional<Finding> repairIdentity(VolumeIdentity identity, boolean isOtherBoot)
      throws PathProblem {
    VolumeLayout.Home home = layout.home(identity);
    if (!isThere(layout.root(), layout.volumes(), home.path())) {
      return Optional.empty();
    }
    MountPath who = home.who();
    String was = "missing";
    if (disk.isFile(who)) {
      byte[] content = read(who);
      Whose whose = whose(content, identity);
      if (whose == Whose.THIS) {
        return Optional.empty();
      } else if (whose != Whose.DAMAGED && !isOtherBoot) {
        throw wrongIdentity(who, whose, identity);
      }
      was =
          isBlank(content)
              ? "empty"
              : whose == Whose.DAMAGED ? "damaged" : "that of another volume";
    }
    writeIdentity(identity, home);
    return Optional.of(
        new Finding(
            OperatorCode.SIDECAR_REPAIRED,
            who,
            "'%s' was %s and was rewritten for %s; %s"
                .formatted(
                    who,
                    was,
                    identity,
                    was.equals("damaged") && !isOtherBoot
                        ? "check the disk"
                        : "this is normal after a power cut; otherwise check the disk")));
  }

  /**
   * Returns whether a file has no content, because nothing was written or a power loss has replaced
   * all bytes with zeros.
   */
  private static boolean isBlank(byte[] content) {
    for (byte octet : content) {
      if (octet != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether this volume has a directory. */
  public boolean hasVolume(VolumeIdentity identity) throws PathProblem {
    return isThere(layout.root(), layout.volumes(), layout.volume(identity));
  }

  /**
   * Returns whether a file or directory exists at a path of the manager. A symbolic link does not
   * count. Call this only if nothing is mounted at the path.
   */
  public boolean isMade(MountPath path) {
    try {
      return disk.look(path).filter(left -> left.kind() != FileFacts.Kind.LINK).isPresent();
    } catch (PathProblem unknown) {
      return false;
    }
  }

  /** Returns the names of the use directories in the directory of this volume. */
  public List<String> uses(VolumeIdentity identity) throws PathProblem {
    return uses(layout.uses(identity), stranger -> {});
  }

  /**
   * Removes the directories and the identity file of a volume without mounts. Each directory is
   * removed only if it is empty, and the identity file is removed just before the volume's own
   * directory. A missing directory is not a failure. Does nothing if a use has a mount.
   *
   * @param isFree returns whether nothing is mounted at the target in the use directory with this
   *     name
   */
  public void removeVolume(VolumeIdentity identity, Predicate<String> isFree) throws PathProblem {
    VolumeLayout.Home home = layout.home(identity);
    if (!isThere(layout.root(), layout.volumes(), home.path())) {
      return;
    }
    MountPath who = home.who();
    boolean isNamed = disk.isFile(who);
    if (isNamed) {
      Whose whose = whose(read(who), identity);
      if (whose == Whose.ANOTHER || whose == Whose.NEWER) {
        throw wrongIdentity(who, whose, identity);
      }
    }
    List<String> names = disk.names(home.path());
    long others = names.stream().filter(name -> !OURS.contains(name)).count();
    boolean hasUses = others > 0 || (names.contains("p") && !disk.removeIfEmpty(home.uses()));
    if (hasUses) {
      // A late call of the plugin may have created the directory of a use again.
      List<String> uses = uses(home.uses(), stranger -> {});
      if (!uses.stream().allMatch(isFree)) {
        return;
      }
      for (String use : uses) {
        removeUse(home, use);
      }
    }
    if (others > 0) {
      throw CarefulDisk.notEmpty(home.path(), (int) others);
    }
    if (names.contains("s")) {
      disk.removeEmpty(home.staging());
    }
    if (hasUses) {
      disk.removeEmpty(home.uses());
    }
    if (names.contains("who.new")) {
      disk.delete(whoNew(home));
    }
    if (isNamed) {
      disk.deleteSeen(who);
    }
    disk.removeEmpty(home.path());
  }

  /** Removes a directory that a scan has reported as blank. */
  public void removeBlank(MountPath home) throws PathProblem {
    disk.delete(home.resolve("who.new"));
    disk.removeEmpty(home);
  }

  /**
   * Syncs the removal of volume directories. Call this before the last record or tombstone of such
   * a volume is removed.
   */
  public void syncRemovals() throws PathProblem {
    if (isThere(layout.root(), layout.volumes())) {
      disk.sync(layout.volumes());
    }
  }

  // ---- uses

  /**
   * Creates the parent directory of a target, and checks that the target is usable. Call this only
   * if nothing is mounted at the target; with a mount, the directory exists already.
   *
   * @param isVolumePrepared whether the same operation has just prepared the volume, so that its
   *     directory is not checked again
   */
  public List<Finding> prepareUse(
      VolumeIdentity identity, VolumeUse usage, boolean isVolumePrepared) throws PathProblem {
    List<Finding> findings = new ArrayList<>();
    VolumeLayout.Home home = layout.home(identity);
    if (!isVolumePrepared) {
      prepareVolumes(findings);
      Made made = disk.made(home.path(), findings);
      identify(identity, home, made, findings);
      make(home.uses(), made, findings);
    }
    MountPath use = home.use(usage);
    disk.madeNew(use, findings);
    MountPath target = use.resolve("t");
    Optional<FileStatus> left = disk.look(target);
    if (left.isPresent()) {
      checkLeftover(target, left.get());
    }
    return findings;
  }

  /**
   * Checks the leftover at a target. Plugins may leave an empty directory or an empty file there,
   * and accept such a leftover.
   */
  private void checkLeftover(MountPath target, FileStatus left) throws PathProblem {
    if (left.kind() == FileFacts.Kind.DIRECTORY) {
      int entries = disk.names(target).size();
      if (entries > 0) {
        throw CarefulDisk.notEmpty(target, entries);
      }
    } else if (left.kind() != FileFacts.Kind.FILE || left.size() > 0) {
      throw CarefulDisk.inTheWay(target, left, "an empty file or directory");
    }
  }

  /** Removes an empty leftover at a target without a mount, and the target's parent directory. */
  public void removeUse(VolumeIdentity identity, VolumeUse usage) throws PathProblem {
    removeUse(layout.home(identity), VolumeLayout.id(usage));
  }

  /** Removes the directory of a use that is known only by the directory's name. */
  public void removeUse(VolumeIdentity identity, String use) throws PathProblem {
    removeUse(layout.home(identity), use);
  }

  private void removeUse(VolumeLayout.Home home, String use) throws PathProblem {
    MountPath uses = home.uses();
    MountPath directory = uses.resolve(use);
    // Usually the plugin has removed the target.
    if (!isThere(layout.root(), layout.volumes(), home.path(), uses)
        || disk.removeIfEmpty(directory)
        || !isThere(directory)) {
      return;
    }
    MountPath target = directory.resolve("t");
    Optional<FileStatus> left = disk.look(target);
    if (left.isPresent()) {
      checkLeftover(target, left.get());
      if (left.get().kind() == FileFacts.Kind.DIRECTORY) {
        disk.removeEmpty(target);
      } else {
        disk.delete(target);
      }
    }
    disk.removeEmpty(directory);
  }

  /**
   * Refuses a symbolic link at a target or staging path, or in the path to it, because a plugin
   * would follow the link. Call this only if nothing is mounted at the path. A missing path is not
   * a failure.
   */
  public void refuseLinks(VolumeIdentity identity, Optional<VolumeUse> usage) throws PathProblem {
    VolumeLayout.Home home = layout.home(identity);
    boolean isThere = isThere(layout.root(), layout.volumes(), home.path());
    MountPath path = home.staging();
    if (usage.isPresent()) {
      MountPath use = home.use(usage.get());
      isThere = isThere && isThere(home.uses(), use);
      path = use.resolve("t");
    }
    Optional<FileStatus> there = isThere ? disk.look(path) : Optional.empty();
    if (there.isPresent() && there.get().kind() == FileFacts.Kind.LINK) {
      throw CarefulDisk.inTheWay(path, there.get(), "a directory");
    }
  }

  /** Returns the target of a use that is known only by the name of its directory. */
  public MountPath strayTarget(VolumeIdentity identity, String use) {
    return layout.uses(identity).resolve(use).resolve("t");
  }

  // ---- the scan

  /**
   * Returns every volume that has an identity file and is not on record. For volumes on record,
   * only the identity files are checked. Damaged and foreign files are reported and not returned.
   * An empty directory, whose identity file was never written, is neither reported nor returned.
   * The directory of a recently released volume is returned even if its identity file is damaged or
   * missing.
   *
   * @param owners returns the volumes on record and the recently released volumes
   */
  public List<Found> scan(Owners owners, Consumer<PathProblem> damaged) throws PathProblem {
    return scan(owners, damaged, blank -> {});
  }

  /**
   * Works like {@link #scan(Owners, Consumer)}, and also reports each blank directory that belongs
   * to no volume on record. A power loss has removed the content of such a directory.
   */
  public List<Found> scan(Owners owners, Consumer<PathProblem> damaged, Consumer<MountPath> blank)
      throws PathProblem {
    List<Found> found = new ArrayList<>();
    if (!isThere(layout.root(), layout.volumes())) {
      return found;
    }
    for (String name : disk.names(layout.volumes())) {
      try {
        Optional<VolumeIdentity> owner = owners.of(name);
        Optional<VolumeIdentity> gone = owners.before(name);
        if (owner.isEmpty() && gone.isPresent()) {
          List<String> uses = uses(layout.home(name).path().resolve("p"), damaged);
          found.add(new Found(gone.get(), uses));
        } else if (owner.isEmpty() || !isOf(owner.get(), name)) {
          Optional<Found> each = find(name, damaged);
          each.ifPresent(found::add);
          if (owner.isEmpty() && each.isEmpty()) {
            blank.accept(layout.volumes().resolve(name));
          }
        }
      } catch (PathProblem problem) {
        damaged.accept(problem);
      }
    }
    return found;
  }

  /** Returns whether a directory contains the identity file of this volume. */
  private boolean isOf(VolumeIdentity owner, String name) throws PathProblem {
    MountPath who = layout.home(name).path().resolve("who");
    return disk.look(who).filter(it -> it.kind() == FileFacts.Kind.FILE).isPresent()
        && Arrays.equals(read(who), IdentityFile.content(owner));
  }

  /**
   * Returns whether any volume has an identity file. If so, a manager has used this root, and its
   * state must exist.
   */
  public boolean hasVolumes() throws PathProblem {
    if (isThere(layout.root(), layout.volumes())) {
      for (String name : disk.names(layout.volumes())) {
        if (HashedName.isName(name)
            && disk.look(layout.volumes().resolve(name).resolve("who")).isPresent()) {
          return true;
        }
      }
    }
    return false;
  }

  private Optional<Found> find(String name, Consumer<PathProblem> damaged) throws PathProblem {
    MountPath home = layout.volumes().resolve(name);
    if (!HashedName.isName(name) || !disk.isDirectory(home)) {
      throw stranger(home);
    }
    Set<String> names = new HashSet<>(disk.names(home));
    if (names.isEmpty() || names.equals(Set.of("who.new"))) {
      return Optional.empty();
    }
    MountPath who = home.resolve("who");
    if (!disk.isFile(who)) {
      throw new PathProblem(
          Kind.WRONG_IDENTITY,
          who,
          "'%s' is missing, and nothing else says which volume its directory belongs to"
              .formatted(who));
    }
    byte[] content = read(who);
    Optional<VolumeIdentity> identity = IdentityFile.read(content);
    if (identity.isEmpty()) {
      throw new PathProblem(
          Kind.WRONG_IDENTITY,
          who,
          (IdentityFile.isOfAnotherFormat(content)
                  ? "'%s' was written by a newer version; run that version"
                  : "'%s' is damaged, and nothing else says which volume its directory belongs to")
              .formatted(who));
    }
    if (!VolumeLayout.id(identity.get()).equals(name)) {
      throw new PathProblem(
          Kind.WRONG_IDENTITY,
          who,
          "'%s' is the file of %s, which belongs in another directory; find out who copied it"
              .formatted(who, identity.get()));
    }
    return Optional.of(new Found(identity.get(), uses(home.resolve("p"), damaged)));
  }

  private List<String> uses(MountPath directory, Consumer<PathProblem> damaged) throws PathProblem {
    List<String> uses = new ArrayList<>();
    if (disk.isDirectory(directory)) {
      for (String name : disk.names(directory)) {
        if (HashedName.isName(name)) {
          uses.add(name);
        } else {
          damaged.accept(stranger(directory.resolve(name)));
        }
      }
    }
    return uses;
  }

  private static PathProblem stranger(MountPath path) {
    return new PathProblem(
        Kind.IN_THE_WAY,
        path,
        "'%s' was not made by csi4j; find out who put it there and move it away".formatted(path));
  }

  /** Returns whether all of these paths are existing directories and none is a symbolic link. */
  private boolean isThere(MountPath... directories) throws PathProblem {
    for (MountPath directory : directories) {
      if (!disk.isDirectory(directory)) {
        return false;
      }
    }
    return true;
  }
}
