package io.csi4j.volume.internal.real;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.KernelMounts.ShownDirectory;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.state.HostIdentity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the mounts of a kernel through mount-linux.
 *
 * <p>This class does not access files at or below a mount, because such an access could hang. There
 * are two exceptions: the node of a block device, whose mount has no server, and the lookups of
 * {@link MountQuestions}, which run on their own threads.
 */
public final class SystemKernelMounts implements KernelMounts {

  /**
   * Maximum number of stacked mounts that are removed from a path. Plugins never intentionally
   * stack that many.
   */
  private static final int MOST_LAYERS = 64;

  private static final int MOST_HOLDERS = 8;
  private static final KernelText FILESYSTEM_ROOT = KernelText.of("/");
  private static final KernelText READ_ONLY = KernelText.of("ro");
  private static final int LONGEST_TEXT = 1024;
  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private static final Duration BUSY_LIMIT = Duration.ofSeconds(1);

  /**
   * The policy to free a path: a mount in use is detached, and processes that use it may continue
   * to do so.
   */
  private static final UnmountPolicy AWAY =
      UnmountPolicy.PLAIN.withBusyLimit(BUSY_LIMIT).withLazy();

  private final MountTable table;
  private final Mounts mounts;
  private final Disk disk;
  private final Supplier<Place> place;
  private final @Nullable MountQuestions questions;
  private final @Nullable MountWatch watch;
  private final @Nullable HeldDevices held;

  /**
   * The last snapshot, which contains every mount below a directory; the garbage collector may drop
   * it.
   */
  private volatile Reference<Seen> seen = new WeakReference<>(null);

  private volatile boolean watched;

  /** The mounts whose servers have ended according to a lookup, by path. */
  private final Map<MountPath, MountRef> ended = new ConcurrentHashMap<>();

  /**
   * Creates an adapter for the mounts of a kernel.
   *
   * @param disk reads device nodes
   * @param place returns the boot and the mount namespace of this process
   */
  public SystemKernelMounts(MountTable table, Mounts mounts, Disk disk, Supplier<Place> place) {
    this(table, mounts, disk, place, null, null, null);
  }

  private SystemKernelMounts(
      MountTable table,
      Mounts mounts,
      Disk disk,
      Supplier<Place> place,
      @Nullable MountQuestions questions,
      @Nullable MountWatch watch,
      @Nullable HeldDevices held) {
    this.held = held;
    this.questions = questions;
    this.watch = watch;
    this.table = table;
    this.mounts = mounts;
    this.disk = disk;
    this.place = place;
  }

  /**
   * The interfaces through which a manager accesses mounts.
   *
   * @param table reads the mounts
   * @param mounts changes the mounts
   * @param watch reports changes, if they can be watched
   */
  public record KernelView(MountTable table, Mounts mounts, Optional<MountWatch> watch) {

    /** Checks that no component is null. */
    public KernelView {
      Objects.requireNonNull(table, "table");
      Objects.requireNonNull(mounts, "mounts");
      Objects.requireNonNull(watch, "watch");
    }

    /** Returns the view of the running kernel. */
    public static KernelView system() {
      return new KernelView(MountTable.system(), Mounts.system(), Optional.of(MountWatch.system()));
    }
  }

  /**
   * Returns the mounts of the running kernel. The boot and the mount namespace are read only once,
   * because they do not change during the life of a process.
   */
  public static SystemKernelMounts system() {
    return of(KernelView.system());
  }

  /** Returns the mounts of this view, with the boot and the mount namespace of this process. */
  static SystemKernelMounts of(KernelView view) {
    HostIdentity here = HostIdentity.current();
    Place place =
        new Place(here.boot().value(), namespace(root(view.table()), here.mountNamespace()));
    return new SystemKernelMounts(
        view.table(),
        view.mounts(),
        new RealDisk(),
        () -> place,
        null,
        view.watch().orElse(null),
        null);
  }

  /**
   * Returns a number that identifies a mount namespace; 0 if the namespace is not known.
   *
   * <p>The inode alone does not suffice, because the kernel immediately reuses the inode of an
   * ended namespace. However, a new namespace has copies of all mounts, so the identity of its root
   * mount differs.
   *
   * @param root the identity of the namespace's root mount, if that is known
   * @param inode the inode of the namespace; 0 if it is not known
   */
  static long namespace(Optional<MountRef.Identity> root, long inode) {
    if (root.isPresent() && root.get() instanceof MountRef.Identity.Unique unique) {
      return unique.id();
    }
    if (root.isPresent() && root.get() instanceof MountRef.Identity.Reusable reusable) {
      return inode << Integer.SIZE | Integer.toUnsignedLong(reusable.id());
    }
    return inode;
  }

  private static Optional<MountRef.Identity> root(MountTable table) {
    try {
      return table.find(MountPath.ROOT).map(MountRecord::ref).map(MountRef::identity);
    } catch (MountException e) {
      return Optional.empty();
    }
  }

  /** Returns an adapter that determines the health of mounts with these lookups. */
  SystemKernelMounts asking(MountQuestions who) {
    return new SystemKernelMounts(table, mounts, disk, place, who, watch, held);
  }

  /** Returns an adapter that holds devices open with this object. */
  public SystemKernelMounts holding(HeldDevices by) {
    return new SystemKernelMounts(table, mounts, disk, place, questions, watch, by);
  }

  /** Returns an adapter that reports the changes from this watch. */
  public SystemKernelMounts watchedBy(MountWatch by) {
    return new SystemKernelMounts(table, mounts, disk, place, questions, by, held);
  }

  @Override
  public Runnable watch(Changes changes) {
    if (watch == null) {
      return () -> {};
    }
    try {
      MountWatch.Watching running = watch.start(event -> tell(event, changes));
      watched = true;
      return () -> {
        watched = false;
        running.close();
      };
    } catch (MountException e) {
      LOG.log(
          Level.WARNING,
          "The mount table cannot be watched, so a mount that another program removes is noticed"
              + " only with the next request: "
              + e.getMessage());
      return () -> {};
    }
  }

  @Override
  public boolean isWatched() {
    return watched;
  }

  private static void tell(MountEvent event, Changes changes) {
    if (event instanceof MountEvent.Attached attached) {
      changes.came(attached.mount().path());
    } else if (event instanceof MountEvent.Detached detached) {
      changes.went(detached.mount().path());
    } else if (event instanceof MountEvent.Changed changed) {
      if (!changed.before().path().equals(changed.now().path())) {
        changes.went(changed.before().path());
        changes.came(changed.now().path());
      }
    } else {
      changes.missed();
    }
  }

  @Override
  public void ask(PluginId plugin, MountPath path, Consumer<Sighting.Health> then) {
    if (questions != null
        && table.probe(path) instanceof MountProbe.Mounted there
        && there.health() == MountProbe.Health.UNKNOWN) {
      questions.ask(
          plugin,
          there.ref(),
          health -> {
            remember(path, there.ref(), health);
            then.accept(health);
          });
    } else {
      List<Sighting> stack = at(path);
      then.accept(stack.isEmpty() ? Sighting.Health.WELL : stack.get(stack.size() - 1).health());
    }
  }

  private void remember(MountPath path, MountRef mount, Sighting.Health health) {
    if (health == Sighting.Health.DEAD) {
      ended.put(path, mount);
    } else if (health == Sighting.Health.WELL) {
      ended.remove(path);
    }
  }

  @Override
  public boolean mustAsk(MountPath path) {
    try {
      return questions != null
          && table.probe(path) instanceof MountProbe.Mounted there
          && there.health() == MountProbe.Health.UNKNOWN;
    } catch (MountException e) {
      // The following read of the mounts reports the failure.
      return false;
    }
  }

  /**
   * Returns whether the server of a mount has ended, according to the kernel or to an earlier
   * lookup.
   */
  private boolean isDead(MountPath path, MountProbe.Mounted seen) {
    MountRef known = ended.get(path);
    return seen.health() == MountProbe.Health.DEAD
        || (known != null && known.identity().equals(seen.ref().identity()));
  }

  @Override
  public Place place() {
    return place.get();
  }

  @Override
  public Optional<MountRef.Identity> top(MountPath path) {
    return table.probe(path) instanceof MountProbe.Mounted seen
        ? Optional.of(seen.ref().identity())
        : Optional.empty();
  }

  @Override
  public Optional<MountRef.Identity> mountOf(MountPath path) {
    return table.mountOf(path);
  }

  @Override
  public List<Sighting> at(MountPath path) {
    if (!(table.probe(path) instanceof MountProbe.Mounted seen)) {
      ended.remove(path);
      return List.of();
    }
    Optional<MountRecord> top = table.find(path);
    if (top.isEmpty()) {
      // The mount has disappeared between the two reads.
      return List.of();
    }
    boolean isDead = isDead(path, seen);
    return layers(top.get()).stream()
        .map(layer -> sighting(path, layer, isDead && layer.equals(top.get())))
        .toList();
  }

  /**
   * Returns all mounts at the path of this mount, the topmost mount last. Usually there is only
   * one.
   */
  private List<MountRecord> layers(MountRecord top) {
    if (isAlone(top)) {
      return List.of(top);
    }
    List<MountRecord> below =
        table.list(each -> each.path().equals(top.path())).records().stream()
            .filter(each -> !each.ref().equals(top.ref()))
            .toList();
    List<MountRecord> all = new ArrayList<>(inOrder(below));
    all.add(top);
    return all;
  }

  /**
   * Returns whether the parent of this mount is certainly at another path. Then no mount is below
   * this one at its path.
   */
  private boolean isAlone(MountRecord top) {
    if (top.parentUniqueId().isEmpty()) {
      return false;
    }
    MountRef.Identity below = new MountRef.Identity.Unique(top.parentUniqueId().getAsLong());
    MountRef.Check check = table.check(new MountRef(top.path(), top.ref().bootId(), below));
    return check instanceof MountRef.Check.Moved;
  }

  @Override
  public List<Sighting> beneath(MountPath directory) {
    List<MountRecord> found =
        snapshot(directory)
            .matching(each -> each.path().isWithin(directory) && !each.path().equals(directory));
    return inOrder(found).stream().map(each -> sighting(each.path(), each, false)).toList();
  }

  /**
   * Returns a snapshot that contains the mounts below a directory. If the directory is inside the
   * directory of the last snapshot, that snapshot is updated with the changes since then, which is
   * much cheaper if there are many mounts. Otherwise the mounts are read again.
   */
  private MountSnapshot snapshot(MountPath directory) {
    Seen before = seen.get();
    boolean isPart =
        before != null
            && directory.isWithin(before.directory())
            && !directory.equals(before.directory());
    Seen now =
        before != null && isPart
            ? new Seen(before.directory(), before.snapshot().refresh().now())
            : new Seen(directory, table.list(each -> each.path().isWithin(directory)));
    seen = new WeakReference<>(now);
    return now.snapshot();
  }

  /**
   * A snapshot of all mounts below a directory.
   *
   * @param directory the directory
   * @param snapshot the mounts
   */
  private record Seen(MountPath directory, MountSnapshot snapshot) {}

  private static Sighting sighting(MountPath path, MountRecord record, boolean isDead) {
    Sighting.Health health =
        isDead
            ? Sighting.Health.DEAD
            : record.isDeleted() ? Sighting.Health.DELETED : Sighting.Health.WELL;
    return new Sighting(
        path,
        record.device().toString(),
        evidence(record),
        health,
        record.flags().stream().map(MountFlag::word).collect(Collectors.toSet()));
  }

  @Override
  public List<Sighting> elsewhere(MountPath path, MountPath own) {
    Optional<MountRecord> staged = table.find(path);
    if (staged.isEmpty()
        || staged.get().device().major() == 0
        || !staged.get().root().equals(FILESYSTEM_ROOT)) {
      return List.of();
    }
    List<MountRecord> newer =
        table.newer(
            staged.get().ref(),
            each -> each.device().equals(staged.get().device()) && !each.path().isWithin(own));
    if (newer.isEmpty()) {
      return List.of();
    }
    Optional<ShownDirectory> ours = shown(own);
    Map<Integer, MountRecord> parents = new HashMap<>();
    table.list().records().forEach(each -> parents.put(each.id(), each));
    return newer.stream()
        .filter(each -> !isCopy(each, parents.get(each.parentId()), ours))
        .map(each -> sighting(each.path(), each, false))
        .toList();
  }

  /**
   * Returns whether a mount is a copy that the kernel has made of a mount of the manager. Such a
   * copy appears where the manager's directory is visible through another mount of its disk. The
   * kernel usually removes the copy together with the original.
   */
  private static boolean isCopy(
      MountRecord mount, @Nullable MountRecord parent, Optional<ShownDirectory> ours) {
    return parent != null
        && ours.filter(
                it ->
                    it.device().equals(parent.device().toString())
                        && it.holds(within(parent, mount.path())))
            .isPresent();
  }

  /**
   * Returns the directory in the filesystem that a path below a mount of that filesystem leads to.
   */
  private static String within(MountRecord mount, MountPath path) {
    String root = mount.root().toString();
    String rest =
        path.toString().substring(mount.path().isRoot() ? 0 : mount.path().toString().length());
    String all = rest.equals("/") ? root : (root.equals("/") ? "" : root) + rest;
    return all.isEmpty() ? "/" : all;
  }

  @Override
  public Optional<ShownDirectory> shown(MountPath directory) {
    for (MountPath at = directory; ; at = at.parent()) {
      Optional<MountRecord> found = table.find(at);
      if (found.isPresent()) {
        return Optional.of(
            new ShownDirectory(found.get().device().toString(), within(found.get(), directory)));
      }
      if (at.isRoot()) {
        return Optional.empty();
      }
    }
  }

  @Override
  public Optional<String> device(MountPath path) {
    if (table.probe(path) instanceof MountProbe.Mounted seen
        && seen.health() != MountProbe.Health.OK) {
      // Accessing such a mount could block forever.
      return Optional.empty();
    }
    try {
      return disk.facts(path.toPath())
          .filter(facts -> facts.kind() == FileFacts.Kind.BLOCK_DEVICE)
          .map(FileFacts::device);
    } catch (DiskException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean hold(MountPath path, Consumer<Optional<String>> then) {
    if (held == null) {
      return false;
    }
    Optional<String> device;
    try {
      device = device(path);
    } catch (MountException e) {
      then.accept(Optional.of("it could not be examined: " + e.getMessage()));
      return true;
    }
    if (device.isPresent()) {
      return held.hold(path, device.get(), then);
    }
    if (held.isHeld(path)) {
      // The node cannot be read now, but the device is still held open.
      return false;
    }
    then.accept(Optional.of("no block device is seen there"));
    return true;
  }

  @Override
  public boolean letGo(MountPath path, Runnable closed) {
    return held != null && held.letGo(path, closed);
  }

  @Override
  public Optional<String> holders(MountPath path) {
    return table
        .find(path)
        .map(top -> mounts.whoHolds(top.ref()).ofMount())
        .filter(holders -> !holders.isEmpty())
        .map(holders -> cut(text(holders)));
  }

  private static String text(List<Holder> holders) {
    int more = holders.size() - MOST_HOLDERS;
    return holders.stream()
            .limit(MOST_HOLDERS)
            .map(Object::toString)
            .collect(Collectors.joining(", "))
        + (more > 0 ? ", and " + more + " more" : "");
  }

  private static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  @Override
  public boolean unmountDead(MountPath path, DeadUnmount how) {
    UnmountPolicy policy = UnmountPolicy.PLAIN.withBusyLimit(BUSY_LIMIT);
    if (how == DeadUnmount.FORCE || how == DeadUnmount.LAZY) {
      policy = policy.withForce();
    }
    if (how == DeadUnmount.LAZY) {
      policy = policy.withLazy();
    }
    boolean lazily = false;
    for (int layer = 0; layer < MOST_LAYERS; layer++) {
      if (how == DeadUnmount.NEVER
          || !(table.probe(path) instanceof MountProbe.Mounted top)
          || !isDead(path, top)) {
        break;
      }
      // The mount is unmounted by its identity, so a newer mount over it is not affected.
      lazily |= mounts.unmount(top.ref(), policy).deviceMayBeBusy();
    }
    return lazily;
  }

  @Override
  public boolean unmount(MountPath path) {
    boolean lazily = false;
    for (int layer = 0; layer < MOST_LAYERS; layer++) {
      UnmountResult result = mounts.unmount(path, AWAY);
      if (result.step() == UnmountResult.Step.NOT_MOUNTED) {
        break;
      }
      lazily |= result.deviceMayBeBusy();
    }
    return lazily;
  }

  /** Returns the evidence of a mount that the record keeps. */
  private static Evidence evidence(MountRecord record) {
    return new Evidence(
        record.ref().encode(),
        record.type().toString(),
        record.source().toString(),
        rootOf(record).toString(),
        isReadOnly(record));
  }

  /**
   * Returns the root of a mount without the kernel's mark for a deleted source, so the evidence of
   * the mount does not change when its source is deleted.
   */
  private static KernelText rootOf(MountRecord record) {
    return new MountRef.Identity.Reusable(record.id(), record.device(), record.root()).root();
  }

  /** Returns whether the mount or its filesystem is read-only. */
  private static boolean isReadOnly(MountRecord record) {
    return record.isReadOnly()
        || (!record.options().isEmpty() && record.options().get(0).equals(READ_ONLY));
  }

  /**
   * Returns the mounts in an order in which each mount follows its parent; otherwise the order
   * stays the same.
   */
  private static List<MountRecord> inOrder(List<MountRecord> records) {
    Map<Integer, MountRecord> waiting = new HashMap<>();
    records.forEach(record -> waiting.put(record.id(), record));
    List<MountRecord> ordered = new ArrayList<>(records.size());
    Deque<MountRecord> onTheWay = new ArrayDeque<>();
    for (MountRecord record : records) {
      @Nullable MountRecord next = waiting.remove(record.id());
      while (next != null) {
        onTheWay.push(next);
        next = waiting.remove(next.parentId());
      }
      while (!onTheWay.isEmpty()) {
        ordered.add(onTheWay.pop());
      }
    }
    return ordered;
  }
}
