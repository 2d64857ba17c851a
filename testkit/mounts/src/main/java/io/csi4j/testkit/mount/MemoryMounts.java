package io.csi4j.testkit.mount;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes the mounts of one namespace. Paths are resolved without following links, and never leave
 * the base. Mounts are removed normally, then by force, then lazily, as the policy allows.
 */
final class MemoryMounts implements Mounts {

  private final MemoryNamespace namespace;
  private final MemoryKernel kernel;
  private final MemoryTable table;
  private final MountPath base;

  MemoryMounts(MemoryNamespace namespace, MemoryTable table, MountPath base) {
    this.namespace = namespace;
    this.kernel = namespace.kernel();
    this.table = table;
    this.base = base;
  }

  @Override
  public Mounts beneath(MountPath base) {
    return new MemoryMounts(namespace, table, base);
  }

  @Override
  public MountResult bind(BindRequest request) {
    String doing = "Binding " + request.source() + " to " + request.target();
    return call(doing, "move_mount", request.target(), () -> bind(doing, request));
  }

  private MountResult bind(String doing, BindRequest request) {
    checkWithin(doing, request.target());
    MountedFile source = source(request);
    boolean isDirectory = source.node().isDirectory();
    Target target = open(request.target(), request.createTarget(), isDirectory);
    try {
      Set<MountFlag> flags = EnumSet.copyOf(source.mount().flags);
      Mount.addFlags(flags, request.flags());
      if (target.isOccupied()) {
        TargetMount occupant = new TargetMount(target.place().mount());
        occupant.expect("filesystem", source.mount().filesystem, mount -> mount.filesystem);
        occupant.expect("root", source.node(), mount -> mount.root);
        occupant.expect("flags", flags, mount -> mount.flags);
        request
            .propagation()
            .ifPresent(wanted -> occupant.expectPropagation(wanted, source.mount()));
        return occupant.sameOrRefuse(doing, request.target(), kernel.boot());
      }
      kernel.faults.pass(KernelCall.BIND);
      Mount made =
          kernel
              .model()
              .bind(
                  source,
                  target.place(),
                  request.recursive(),
                  tree -> {
                    List<Mount> all = request.recursive() ? tree.tree() : List.of(tree);
                    all.forEach(each -> Mount.addFlags(each.flags, request.flags()));
                  });
      request.propagation().ifPresent(wanted -> setPropagation(made, wanted, request.recursive()));
      return new MountResult(Records.ref(made, kernel.boot()), true);
    } catch (KernelRefusal | Faults.KernelHang e) {
      target.removeIfMade();
      if (e instanceof KernelRefusal refusal && refusal.number() == KernelRefusal.EINVAL) {
        throw KernelErrors.refused("unbindable", doing, request.target())
            .syscall("open_tree", refusal.errno())
            .source(KernelText.ofBytes(request.source().bytes()))
            .build();
      }
      throw e;
    }
  }

  private MountedFile source(BindRequest request) {
    Walker walker = new Walker(namespace.current());
    if (request.followSource()) {
      return walker.follow(request.source());
    }
    MountPath from = request.source().isWithin(base) ? base : MountPath.ROOT;
    MountedFile source = walker.refuse(from, request.source());
    if (source.node().isSymlink()) {
      throw new KernelRefusal(KernelRefusal.ELOOP);
    }
    return source;
  }

  @Override
  public MountResult mount(FilesystemRequest request) {
    String doing =
        "Mounting %s '%s' at %s"
            .formatted(
                KernelText.of(request.type()),
                request.source().withoutCredentials(),
                request.target());
    return call(doing, "mount", request.target(), () -> mount(doing, request));
  }

  private MountResult mount(String doing, FilesystemRequest request) {
    SortedMountOptions options = SortedMountOptions.of(doing, request);
    checkWithin(doing, request.target());
    Target target = open(request.target(), request.createTarget(), true);
    try {
      if (target.isOccupied()) {
        TargetMount occupant = new TargetMount(target.place().mount());
        occupant.expect("type", KernelText.of(request.type()), mount -> mount.filesystem.type);
        occupant.expect("source", request.source(), mount -> mount.source);
        occupant.expect("flags", options.flags(), mount -> mount.flags);
        return occupant.sameOrRefuse(doing, request.target(), kernel.boot());
      }
      kernel.faults.pass(KernelCall.MOUNT);
      Filesystem filesystem = filesystem(request, options);
      Mount made = kernel.model().newMount(filesystem, filesystem.root, request.source());
      made.flags.addAll(options.flags());
      kernel.model().mount(made, target.place());
      return new MountResult(Records.ref(made, kernel.boot()), true);
    } catch (KernelRefusal | Faults.KernelHang e) {
      target.removeIfMade();
      if (e instanceof KernelRefusal refusal) {
        throw mountFailure(doing, request, refusal);
      }
      throw e;
    }
  }

  private Filesystem filesystem(FilesystemRequest request, SortedMountOptions options) {
    String type = request.type();
    Backing backing = kernel.disks.backing(type);
    boolean readOnly = options.flags().contains(MountFlag.READ_ONLY);
    if (backing == Backing.DEVICE) {
      MountedFile source =
          new Walker(namespace.current()).follow(MountPath.ofBytes(request.source().bytes()));
      return kernel.disks.open(source.node(), type, options.own(), readOnly);
    }
    return new Filesystem(
        kernel.model().anonymousDevice(), type, backing, Node.directory(), options.own(), readOnly);
  }

  private static MountException mountFailure(
      String doing, FilesystemRequest request, KernelRefusal refusal) {
    MountException.Builder failure =
        switch (refusal.number()) {
          case KernelRefusal.EINVAL, KernelRefusal.ENOENT ->
              KernelErrors.refused("no source", doing, request.target())
                  .syscall("mount", refusal.errno());
          default -> KernelErrors.of(doing, "mount", refusal, request.target());
        };
    return failure.source(request.source()).build();
  }

  @Override
  public MountRef setReadOnly(MountPath path, boolean recursive) {
    String doing = "Making " + path + " read-only";
    return call(
        doing,
        "mount_setattr",
        path,
        () -> {
          Mount mount = mountOf(doing, path);
          kernel.faults.pass(KernelCall.SET_READ_ONLY);
          kernel
              .model()
              .addFlags(recursive ? mount.tree() : List.of(mount), EnumSet.of(MountFlag.READ_ONLY));
          return Records.ref(mount, kernel.boot());
        });
  }

  @Override
  public void setPropagation(MountPath path, Propagation propagation, boolean recursive) {
    String doing = "Setting the propagation of " + path;
    call(
        doing,
        "mount",
        path,
        () -> {
          Mount mount = mountOf(doing, path);
          kernel.faults.pass(KernelCall.SET_PROPAGATION);
          setPropagation(mount, propagation, recursive);
          return path;
        });
  }

  private void setPropagation(Mount top, Propagation propagation, boolean recursive) {
    Model model = kernel.model();
    for (Mount mount : recursive ? top.tree() : new ArrayList<>(List.of(top))) {
      switch (propagation) {
        case PRIVATE -> model.makePrivate(mount);
        case HOST_TO_CONTAINER -> model.makeSlave(mount);
        case BIDIRECTIONAL -> model.share(mount);
      }
    }
  }

  @Override
  public UnmountResult unmount(MountPath path, UnmountPolicy policy) {
    return call("Unmounting " + path, "umount2", path, () -> unmount(path, null, policy));
  }

  @Override
  public UnmountResult unmount(MountRef ref, UnmountPolicy policy) {
    MountPath path = ref.path();
    return call("Unmounting " + path, "umount2", path, () -> unmount(path, ref, policy));
  }

  @Override
  public CleanupResult cleanup(MountPath path, UnmountPolicy policy) {
    return call("Removing " + path, "unlinkat", path, () -> cleanUp(path, policy));
  }

  @Override
  public OpenPath open(MountPath path) {
    throw unsupported("Opening " + path, "no descriptors", path);
  }

  @Override
  public OwnershipResult setOwnership(
      MountPath path, FileOwnership wish, Consumer<? super OwnershipResult> progress) {
    throw unsupported("Giving the files of " + path + " to " + wish, "no owners", path);
  }

  private static MountException unsupported(String doing, String lack, MountPath path) {
    return MountException.builder(
            MountException.Reason.UNSUPPORTED,
            doing
                + " failed: mounts in memory have "
                + lack
                + ". Test it with real mounts, in a mount namespace of the test.")
        .target(path)
        .build();
  }

  @Override
  public Holders whoHolds(MountRef ref) {
    return kernel.call(
        () -> {
          Mount mount = table.mount(ref);
          return mount == null
              ? new Holders(List.of(), 0, true)
              : Records.holders(mount, kernel.model(), kernel.boot());
        });
  }

  @Override
  public int stuckCalls() {
    return kernel.call(() -> kernel.faults.stuck());
  }

  private <T> T call(String doing, String syscall, MountPath target, Supplier<T> work) {
    return kernel.call(
        () -> {
          int stuck = kernel.faults.stuck();
          if (stuck >= MountSettings.DEFAULT.threads()) {
            throw KernelErrors.refused("stuck", doing, target, stuck).build();
          }
          return KernelErrors.explained(doing, syscall, target, work);
        });
  }

  /**
   * Unmounts the topmost mount at a path.
   *
   * @param only the mount that must be at the path; null for any
   */
  private UnmountResult unmount(MountPath path, @Nullable MountRef only, UnmountPolicy policy) {
    String doing = "Unmounting " + path;
    if (path.isRoot()) {
      throw KernelErrors.refused("root", doing, path).build();
    }
    checkWithin(doing, path);
    Mount mount = mountAt(path);
    if (only != null && !isOnTop(doing, only, mount)) {
      mount = null;
    }
    if (mount == null) {
      return new UnmountResult(Step.NOT_MOUNTED, Optional.empty(), 1, false);
    }
    return climb(doing, mount, policy);
  }

  private @Nullable Mount mountAt(MountPath path) {
    try {
      Target target = open(path, false, false);
      return target.isOccupied() ? target.place().mount() : null;
    } catch (KernelRefusal e) {
      if (e.number() == KernelRefusal.ENOENT || e.number() == KernelRefusal.ENOTDIR) {
        return null;
      }
      throw e;
    }
  }

  private boolean isOnTop(String doing, MountRef ref, @Nullable Mount top) {
    MountRef.Check check = table.check(ref);
    if (check instanceof MountRef.Check.Gone) {
      return false;
    }
    if (check instanceof MountRef.Check.Moved moved) {
      throw KernelErrors.refused("moved", doing, ref.path(), ref, moved.to().path()).build();
    }
    if (top != null && top != table.mount(ref)) {
      MountRecord occupant = Records.record(top, kernel.boot());
      throw KernelErrors.refused("on top", doing, ref.path(), occupant).occupant(occupant).build();
    }
    return true;
  }

  private UnmountResult climb(String doing, Mount mount, UnmountPolicy policy) {
    MountRef ref = Records.ref(mount, kernel.boot());
    int attempts = 1;
    if (attempt(mount, kernel.model()::unmount)) {
      return new UnmountResult(Step.PLAIN, Optional.of(ref), attempts, false);
    }
    if (policy.force()) {
      kernel.model().giveUp(mount);
      attempts += 2;
      if (attempt(mount, kernel.model()::unmount)) {
        return new UnmountResult(Step.FORCED, Optional.of(ref), attempts, false);
      }
    }
    if (policy.lazy()) {
      attempts++;
      if (attempt(mount, kernel.model()::detach)) {
        return new UnmountResult(Step.LAZY, Optional.of(ref), attempts, true);
      }
    }
    Holders holders = Records.holders(mount, kernel.model(), kernel.boot());
    String tries = attempts + (attempts == 1 ? " attempt" : " attempts");
    throw KernelErrors.refused("busy", doing, mount.path(), tries, holders.ofMount())
        .syscall("umount2", new KernelRefusal(KernelRefusal.EBUSY).errno())
        .holders(holders)
        .build();
  }

  /** Makes an attempt; returns false if the mount is busy. */
  private boolean attempt(Mount mount, Consumer<Mount> call) {
    try {
      kernel.faults.pass(KernelCall.UNMOUNT);
      call.accept(mount);
      return true;
    } catch (KernelRefusal e) {
      if (e.number() == KernelRefusal.EBUSY) {
        return false;
      }
      throw e;
    }
  }

  private CleanupResult cleanUp(MountPath path, UnmountPolicy policy) {
    List<UnmountResult> unmounted = new ArrayList<>();
    try {
      CleanupResult.Outcome outcome =
          KernelErrors.explained(
              "Unmounting " + path,
              "umount2",
              path,
              () -> {
                UnmountResult result = unmount(path, null, policy);
                while (result.step() != Step.NOT_MOUNTED) {
                  unmounted.add(result);
                  result = unmount(path, null, policy);
                }
                return remove(path);
              });
      return new CleanupResult(outcome, unmounted, Optional.empty());
    } catch (MountException problem) {
      if (table.probe(path).isMount()) {
        return new CleanupResult(
            CleanupResult.Outcome.STILL_MOUNTED, unmounted, Optional.of(problem));
      }
      throw problem;
    }
  }

  private CleanupResult.Outcome remove(MountPath path) {
    try {
      kernel.faults.pass(KernelCall.REMOVE);
      MountedFile directory = directory(path);
      Node node = Walker.child(directory, KernelText.ofBytes(path.name()));
      if (!node.isDirectory() && !node.isRemovable()) {
        return CleanupResult.Outcome.NOT_EMPTY;
      }
      kernel.model().remove(namespace.current(), directory, path);
      return CleanupResult.Outcome.REMOVED;
    } catch (KernelRefusal e) {
      return switch (e.number()) {
        case KernelRefusal.ENOENT, KernelRefusal.ENOTDIR -> CleanupResult.Outcome.MISSING;
        case KernelRefusal.ENOTEMPTY, KernelRefusal.EEXIST -> CleanupResult.Outcome.NOT_EMPTY;
        default -> throw KernelErrors.of("Removing " + path, "unlinkat", e, path).build();
      };
    }
  }

  /**
   * A target and its parent directory; {@code made} if the target was missing and has been created.
   */
  private record Target(MountedFile directory, MountedFile place, boolean made) {

    boolean isOccupied() {
      return place.mount() != directory.mount();
    }

    void removeIfMade() {
      if (made) {
        place.node().delete();
      }
    }
  }

  private void checkWithin(String doing, MountPath target) {
    if (!target.isWithin(base) || target.equals(base)) {
      throw KernelErrors.refused("outside", doing, target, base).build();
    }
  }

  private MountedFile directory(MountPath target) {
    MountedFile directory = new Walker(namespace.current()).refuse(base, target.parent());
    if (directory.node().isSymlink()) {
      throw new KernelRefusal(KernelRefusal.ELOOP);
    }
    if (!directory.node().isDirectory()) {
      throw new KernelRefusal(KernelRefusal.ENOTDIR);
    }
    return directory;
  }

  /** Opens a target, and creates it if it is missing and {@code make} is set. */
  private Target open(MountPath target, boolean make, boolean isDirectory) {
    MountedFile directory = directory(target);
    KernelText name = KernelText.ofBytes(target.name());
    Node node;
    try {
      node = Walker.child(directory, name);
    } catch (KernelRefusal e) {
      if (e.number() != KernelRefusal.ENOENT || !make) {
        throw e;
      }
      Node empty = isDirectory ? Node.directory() : Node.file("");
      return new Target(directory, Model.add(directory, name, empty), true);
    }
    MountedFile place = new MountedFile(directory.mount(), node).top();
    if (place.node().isSymlink()) {
      throw new KernelRefusal(KernelRefusal.ELOOP);
    }
    return new Target(directory, place, false);
  }

  /** Returns the topmost mount at a path, which must be a mount point. */
  private Mount mountOf(String doing, MountPath path) {
    MountedFile place;
    if (path.equals(base)) {
      place = new Walker(namespace.current()).follow(base);
    } else {
      checkWithin(doing, path);
      place = open(path, false, false).place();
    }
    if (!place.isMountRoot()) {
      throw KernelErrors.refused("no mount", doing, path).build();
    }
    return place.mount();
  }

  /** Compares the mount that exists at a target with the requested one. */
  private static final class TargetMount {

    private final Mount mount;
    private final List<String> differences = new ArrayList<>();

    TargetMount(Mount mount) {
      this.mount = mount;
    }

    <T> void expect(String field, T wanted, Function<Mount, T> there) {
      if (!there.apply(mount).equals(wanted)) {
        differences.add(field);
      }
    }

    /**
     * Requires the propagation. A slave mount is recognizable only if its source had a peer group.
     */
    void expectPropagation(Propagation wanted, Mount source) {
      boolean sends = mount.peers != null;
      boolean receives = sends || mount.master != null;
      boolean sourceReceives = source.peers != null || source.master != null;
      boolean fits =
          switch (wanted) {
            case PRIVATE -> !receives;
            case HOST_TO_CONTAINER -> !sends && (receives || !sourceReceives);
            case BIDIRECTIONAL -> sends;
          };
      if (!fits) {
        differences.add("propagation");
      }
    }

    MountResult sameOrRefuse(String doing, MountPath target, String bootId) {
      if (differences.isEmpty()) {
        return new MountResult(Records.ref(mount, bootId), false);
      }
      MountRecord occupant = Records.record(mount, bootId);
      String differs = String.join(" and ", differences);
      throw KernelErrors.refused("occupied", doing, target, occupant, differs)
          .occupant(occupant)
          .build();
    }
  }

  /**
   * The flags that mount options stand for, and the filesystem's own options without secret ones.
   */
  private record SortedMountOptions(Set<MountFlag> flags, List<String> own) {

    private static final int MOST_BYTES = 4095;
    private static final Set<String> FOR_USER_SPACE =
        Set.of("defaults", "rw", "auto", "noauto", "user", "nouser", "nofail", "_netdev");

    static SortedMountOptions of(String doing, FilesystemRequest request) {
      Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
      List<String> own = new ArrayList<>();
      for (String option : request.options()) {
        check(doing, request, option, "the option '" + KernelText.of(option) + "'");
        Optional<MountFlag> flag = MountFlag.ofWord(option);
        if (flag.isPresent()) {
          flags.add(flag.get());
        } else if (!FOR_USER_SPACE.contains(option) && !option.startsWith("x-")) {
          own.add(option);
        }
      }
      int bytes = String.join(",", own).getBytes(StandardCharsets.UTF_8).length;
      for (String secret : request.revealSecretOptions()) {
        check(doing, request, secret, "a secret option");
        bytes += 1 + secret.getBytes(StandardCharsets.UTF_8).length;
      }
      if (bytes > MOST_BYTES) {
        throw refused(doing, request, "the options have more than " + MOST_BYTES + " bytes");
      }
      flags.addAll(request.flags());
      return new SortedMountOptions(Mount.flagsOfNew(flags), own);
    }

    private static void check(
        String doing, FilesystemRequest request, String option, String shown) {
      if (option.indexOf(',') >= 0 || option.indexOf('\0') >= 0) {
        throw refused(doing, request, shown + " contains a comma or a NUL");
      }
    }

    private static MountException refused(String doing, FilesystemRequest request, String why) {
      return KernelErrors.refused("options", doing, request.target(), why)
          .source(request.source())
          .build();
    }
  }
}
