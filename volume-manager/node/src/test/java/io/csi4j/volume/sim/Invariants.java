package io.csi4j.volume.sim;

import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The checkers of the invariants of the protocol, one for each. */
final class Invariants {

  private Invariants() {}

  /** All of them, watching one world. */
  static List<Watch> of(World world) {
    return List.of(
        new NoLeak(world),
        new NoEarlyUnstage(world),
        new ToldOnlyWhatIsThere(world),
        new OneWriter(world),
        new PublishOnlyStaged(world),
        new OneStagingPath(world),
        new NothingDeleted(world),
        new OneCallAtATime(world),
        new NoSecret(world),
        new NothingOutside(world),
        new NothingBeforeTheHost(world),
        new EveryStartEnds(world),
        new OnlyClaimed(world),
        new GoneIsNotTriedAgain(world),
        new NoUnstageUnderOthers(world),
        new InlineIsOnlyPublished(world),
        new InlineHasOneLife(world),
        new InlineIsOnRecord(world),
        new RefreshIsInForce(world),
        new HandsOffMounts(world));
  }

  private abstract static class Invariant implements Watch {
    final World world;
    private final String id;

    Invariant(String id, World world) {
      this.id = id;
      this.world = world;
    }

    final void violated(String text) {
      world.findings().violated(id, text);
    }
  }

  /** Nothing of ours is left when nothing is wanted. */
  private static final class NoLeak extends Invariant {
    NoLeak(World world) {
      super("I1", world);
    }

    @Override
    public void end() {
      List<String> leaks = world.leaks();
      if (!leaks.isEmpty()) {
        violated("nothing is wanted and everybody is well, but there are left: " + leaks);
      }
    }
  }

  /** No unstaging while a target is mounted, in doubt or in use. */
  private static final class NoEarlyUnstage extends Invariant {
    NoEarlyUnstage(World world) {
      super("I2", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.verb() != Verb.UNSTAGE) {
        return;
      }
      for (SimKernel.Mount mount : world.kernel().mounts()) {
        if (mount.volume.equals(call.volume())
            && world.usageAt(mount.path).isPresent()
            && !mount.isUnexpected()) {
          violated(call + " was sent while " + mount + " is mounted");
        }
      }
      for (SimPlugin.Call working : plugin.working()) {
        if (working.verb() == Verb.PUBLISH && working.volume().equals(call.volume())) {
          violated(call + " was sent while the plugin may still be working on " + working);
        }
      }
      for (VolumeUse usage : world.host().holding()) {
        // What it had was dead, and is gone.
        boolean isMended = world.host().suspended().contains(usage);
        if (world.handle(usage).equals(call.volume()) && !isMended) {
          violated(call + " was sent while " + usage.workload() + " uses the volume");
        }
      }
    }
  }

  /** "Mounted" is said only when the kernel shows it, and "gone" only when it does not. */
  private static final class ToldOnlyWhatIsThere extends Invariant {
    private final Set<MountPath> gone = new HashSet<>();

    ToldOnlyWhatIsThere(World world) {
      super("I3", world);
    }

    @Override
    public void takenAway(MountPath path) {
      gone.add(path);
    }

    @Override
    public void lookedForMounts(MountPath path) {
      gone.removeIf(it -> it.isWithin(path));
    }

    @Override
    public void told(VolumeUse usage, MountedVolume volume) {
      MountPath target = world.target(usage);
      List<SimKernel.Mount> stack = world.kernel().at(target);
      if (gone.contains(target)) {
        return;
      }
      if (!volume.path().equals(target.toPath())) {
        violated("the host was told that " + usage + " is at " + volume.path() + ", not " + target);
      }
      if (stack.isEmpty()) {
        violated("the host was told that " + usage + " is mounted, and nothing is");
      } else {
        SimKernel.Mount top = stack.get(stack.size() - 1);
        if (top.foreign && top.wasSeen()) {
          violated("the host was told that " + usage + " is mounted, and " + top + " is");
        } else if (!top.foreign && top.readOnly != volume.readOnly()) {
          violated("the host was told read-only=" + volume.readOnly() + " of " + top);
        }
      }
    }

    @Override
    public void released(VolumeUse usage) {
      for (SimKernel.Mount mount : world.kernel().at(world.target(usage))) {
        if (!mount.foreign && !mount.rogue) {
          violated("the host was told that " + usage + " is no more, and " + mount + " is mounted");
        }
      }
    }
  }

  /** A single-writer volume has one user. */
  private static final class OneWriter extends Invariant {
    OneWriter(World world) {
      super("I4", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.verb() != Verb.PUBLISH || !world.isSingleWriter(call.volume())) {
        return;
      }
      for (SimKernel.Mount mount : world.kernel().mounts()) {
        if (mount.volume.equals(call.volume())
            && !mount.path.equals(call.path())
            && world.usageAt(mount.path).isPresent()
            && !mount.isUnexpected()) {
          violated(call + " was sent while " + mount + " is mounted");
        }
      }
      for (SimPlugin.Call working : plugin.working()) {
        if (working.verb() == Verb.PUBLISH
            && working.volume().equals(call.volume())
            && !working.path().equals(call.path())) {
          violated(call + " was sent while the plugin may still be working on " + working);
        }
      }
    }

    @Override
    public void told(VolumeUse usage, MountedVolume volume) {
      String handle = world.handle(usage);
      if (world.isSingleWriter(handle)) {
        for (VolumeUse other : world.host().holding()) {
          if (!other.equals(usage) && world.handle(other).equals(handle)) {
            violated(usage + " was given the volume while " + other.workload() + " has it");
          }
        }
      }
    }
  }

  /** Publishing needs a staging that was confirmed in this boot and mount namespace. */
  private static final class PublishOnlyStaged extends Invariant {
    private final Set<String> confirmed = new HashSet<>();
    private final Set<MountPath> gone = new HashSet<>();

    /** Confirmed before an unstaging that a process can have forgotten by the next start. */
    private final Set<String> unwritten = new HashSet<>();

    PublishOnlyStaged(World world) {
      super("I5", world);
    }

    @Override
    public void answered(SimPlugin plugin, Life life, SimPlugin.Call call, Answer answer) {
      if (call.verb() == Verb.STAGE && answer.isOk()) {
        confirmed.add(call.volume());
      }
    }

    @Override
    public void takenAway(MountPath path) {
      gone.add(path);
    }

    @Override
    public void rogue(SimPlugin.Call call) {
      if (call.verb() == Verb.UNSTAGE) {
        gone.add(call.path());
      }
    }

    @Override
    public void lookedForMounts(MountPath path) {
      gone.removeIf(it -> it.isWithin(path));
    }

    @Override
    public void died() {
      confirmed.addAll(unwritten);
      unwritten.clear();
    }

    @Override
    public void moved() {
      confirmed.clear();
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.inline() || world.inlineUse(call.volume()).isPresent()) {
        return;
      }
      if (call.verb() == Verb.UNSTAGE) {
        boolean was = confirmed.remove(call.volume());
        if (was && !world.disk().medium().isWell()) {
          unwritten.add(call.volume());
        }
      } else if (call.verb() == Verb.PUBLISH) {
        if (call.staging() == null) {
          violated(call + " was sent without a staging path");
        } else if (!confirmed.contains(call.volume())) {
          violated(
              call + " was sent, and staging was not confirmed since the last unstaging or start");
        } else if (!world.kernel().isMounted(call.staging()) && !gone.contains(call.staging())) {
          violated(call + " was sent, and nothing is mounted at the staging path");
        }
      }
    }
  }

  /** One staging path for a volume, for ever. */
  private static final class OneStagingPath extends Invariant {
    private final Map<String, MountPath> paths = new HashMap<>();

    OneStagingPath(World world) {
      super("I6", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.staging() != null) {
        MountPath first = paths.putIfAbsent(call.volume(), call.staging());
        if (first != null && !first.equals(call.staging())) {
          violated(call + " names the staging path " + call.staging() + " beside " + first);
        }
      }
    }
  }

  /** Only empty directories and files that we wrote are removed. */
  private static final class NothingDeleted extends Invariant {
    private static final Path STATE = SimDisk.ROOT.resolve("state");
    private static final Path VOLUMES = SimDisk.ROOT.resolve("v");

    NothingDeleted(World world) {
      super("I7", world);
    }

    @Override
    public void deleted(Path path) {
      boolean sidecar =
          path.startsWith(VOLUMES)
              && path.getNameCount() == VOLUMES.getNameCount() + 2
              && path.getFileName().toString().startsWith("who");
      if (!sidecar && !path.startsWith(STATE)) {
        violated("the file " + path + " was deleted, which is not ours");
      }
    }

    @Override
    public void removed(Path path) {
      if (!path.startsWith(VOLUMES) || path.equals(VOLUMES)) {
        violated("the directory " + path + " was removed, which is not of a volume");
      }
      for (SimKernel.Mount mount : world.kernel().mounts()) {
        if (mount.wasSeen()
            && path.startsWith(mount.path.toPath())
            && !mount.path.toPath().equals(path)) {
          violated("the directory " + path + " was removed, which is inside of " + mount);
        }
      }
    }
  }

  /** One call for a volume at a time. */
  private static final class OneCallAtATime extends Invariant {
    private final Map<String, SimPlugin.Call> open = new HashMap<>();

    OneCallAtATime(World world) {
      super("I8", world);
    }

    @Override
    public void died() {
      open.clear();
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      SimPlugin.Call other = open.put(call.volume(), call);
      if (other != null) {
        violated(call + " was sent while " + other + " is not answered");
      }
    }

    @Override
    public void answered(SimPlugin plugin, Life life, SimPlugin.Call call, Answer answer) {
      open.remove(call.volume());
    }
  }

  /** No secret leaves but to the plugin. */
  private static final class NoSecret extends Invariant {
    NoSecret(World world) {
      super("I9", world);
    }

    private void check(String where, String text) {
      if (text.contains(World.CANARY)) {
        violated(where + " holds a secret: " + text);
      }
    }

    @Override
    public void written(String where, byte[] bytes) {
      check(where, new String(bytes, StandardCharsets.ISO_8859_1));
    }

    @Override
    public void looked(String what, Path path) {
      check("a path", path.toString());
    }

    @Override
    public void event(Life life, VolumeEvent event) {
      check("an event", event.toString());
    }

    @Override
    public void told(VolumeUse usage, MountedVolume volume) {
      check("an answer", volume.toString());
    }

    @Override
    public void failed(VolumeUse usage, Throwable failure) {
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        check("an exception", cause.toString());
        if (cause instanceof VolumeException named) {
          check("a message", named.operatorMessage().toString());
        }
      }
    }
  }

  /** No path outside of the manager's directory. */
  private static final class NothingOutside extends Invariant {
    private static final MountPath ROOT = MountPath.of(SimDisk.ROOT);

    NothingOutside(World world) {
      super("I10", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (!call.path().isWithin(ROOT)) {
        violated(call + " leads out of " + ROOT);
      }
    }

    @Override
    public void looked(String what, Path path) {
      if (!path.startsWith(SimDisk.ROOT) && !SimDisk.ROOT.startsWith(path)) {
        violated(what + " " + path + " leads out of " + ROOT);
      }
    }

    @Override
    public void removed(Path path) {
      looked("RMDIR", path);
    }
  }

  /** Nothing is taken away before the host has spoken, or what it has and wants. */
  private static final class NothingBeforeTheHost extends Invariant {
    /** The paths that the plugin was asked to release, and has said that it did. */
    private final Set<MountPath> answered = new TreeSet<>();

    NothingBeforeTheHost(World world) {
      super("I11", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.verb().isForward()) {
        return;
      }
      Optional<VolumeUse> usage = world.usageAt(call.path());
      if (call.verb() == Verb.UNPUBLISH) {
        if (usage.filter(world::isFenced).isPresent()) {
          // It is another node's by now.
          world.host().lost(usage.get());
        }
        boolean isUsed = usage.isPresent() && world.host().holding().contains(usage.get());
        boolean isMended =
            plugin.mends()
                && (world.kernel().isDead(call.path())
                    || usage.filter(world.host().suspended()::contains).isPresent());
        if (isUsed && isMended) {
          world.host().suspend(usage.get());
        } else if (isUsed) {
          violated(call + " was sent while the workload uses it, and was not told to stop");
        }
      }
      if (!life.told) {
        boolean named =
            usage.isPresent()
                ? life.named.contains(usage.get())
                : life.named.stream().anyMatch(it -> world.handle(it).equals(call.volume()));
        if (!named) {
          violated(call + " was sent before the host has said what it wants");
        }
      }
    }

    @Override
    public void unmounted(MountPath path) {
      int most = world.plugin(Wanted.FAULTY).policy().forceAfterRefusals();
      Optional<VolumeUse> usage = world.usageAt(path);
      boolean isUsed =
          usage.filter(world.host().holding()::contains).isPresent()
              && usage.filter(world.host().suspended()::contains).isEmpty();
      if (most == 0 || world.plugin(Wanted.FAULTY).refusals(path) < most) {
        violated(path + " was unmounted without the plugin, which nobody has allowed yet");
      } else if (isUsed) {
        violated(path + " was unmounted while a workload uses it");
      }
    }

    @Override
    public void answered(SimPlugin plugin, Life life, SimPlugin.Call call, Answer answer) {
      boolean isLeft =
          answer.isOk()
              || answer
                  .failure()
                  .filter(failed -> failed.code() == StatusCode.NOT_FOUND)
                  .isPresent();
      if (!call.verb().isForward() && isLeft) {
        answered.add(call.path());
      } else {
        answered.remove(call.path());
      }
    }

    @Override
    public void deadUnmounted(MountPath path) {
      Optional<VolumeUse> usage = world.usageAt(path);
      boolean isUsed =
          usage.filter(world.host().holding()::contains).isPresent()
              && usage.filter(world.host().suspended()::contains).isEmpty();
      if (!world.kernel().isDead(path) || world.kernel().isForeign(path)) {
        violated(path + " was unmounted without the plugin, and is no dead mount of ours");
      } else if (!answered.contains(path)) {
        violated(path + " is dead and was unmounted before the plugin was asked to do it");
      } else if (isUsed) {
        violated(path + " is dead and was unmounted while a workload was to keep it");
      }
    }
  }

  /** Every start of an operation has one end. */
  private static final class EveryStartEnds extends Invariant {
    private final Map<Long, VolumeEvent.Started> open = new TreeMap<>();

    EveryStartEnds(World world) {
      super("I12", world);
    }

    @Override
    public void died() {
      open.clear();
    }

    @Override
    public void event(Life life, VolumeEvent event) {
      if (event instanceof VolumeEvent.Started started) {
        if (open.put(started.id().value(), started) != null) {
          violated("an event tells twice that an operation has begun: " + started);
        }
      } else if (event instanceof VolumeEvent.Ended ended
          && open.remove(ended.started().id().value()) == null) {
        violated("an event tells that an operation has ended that had not begun: " + ended);
      }
    }

    @Override
    public void end() {
      if (!open.isEmpty()) {
        violated("operations have begun, and no event tells that they have ended: " + open);
      }
    }
  }

  /** What is claimed is staged and published only while the claim is current. */
  private static final class OnlyClaimed extends Invariant {
    OnlyClaimed(World world) {
      super("I13", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (!world.setup().claims() || !call.verb().isForward()) {
        return;
      }
      boolean isFenced =
          call.verb() == Verb.PUBLISH
              ? world.usageAt(call.path()).filter(world::isFenced).isPresent()
              : world.host().all().stream()
                  .filter(it -> it.identity().handle().value().equals(call.volume()))
                  .allMatch(it -> world.isFenced(it.usage()));
      if (isFenced) {
        violated(call + " was sent, and the claim is another node's by now");
      }
    }
  }

  /** A use whose volume is gone is not tried again before the host asks for it. */
  private static final class GoneIsNotTriedAgain extends Invariant {
    GoneIsNotTriedAgain(World world) {
      super("I20", world);
    }

    @Override
    public void event(Life life, VolumeEvent event) {
      if (event instanceof VolumeEvent.Ended ended
          && ended.failure().filter(why -> why.code() == OperatorCode.VOLUME_GONE).isPresent()) {
        ended
            .started()
            .usage()
            .filter(usage -> !world.host().isAsking(usage))
            .ifPresent(usage -> world.claims().orElseThrow().isGone(usage));
      }
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (!world.setup().claims() || !call.verb().isForward()) {
        return;
      }
      boolean isUnasked =
          call.verb() == Verb.PUBLISH
              ? world.usageAt(call.path()).filter(this::isGone).isPresent()
              : world.host().all().stream()
                  .filter(it -> it.identity().handle().value().equals(call.volume()))
                  .allMatch(it -> isGone(it.usage()));
      if (isUnasked) {
        violated(call + " was sent unasked, and the volume is gone");
      }
    }

    private boolean isGone(VolumeUse usage) {
      return world.claims().orElseThrow().isGoneUntilAsked(usage);
    }
  }

  /** No unstaging while another program has mounted the device. */
  private static final class NoUnstageUnderOthers extends Invariant {
    NoUnstageUnderOthers(World world) {
      super("I15", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.verb() == Verb.UNSTAGE && !world.kernel().elsewhere(call.path()).isEmpty()) {
        violated(call + " was sent while " + world.kernel().elsewhere(call.path()) + " is mounted");
      }
    }
  }

  /** An inline volume is published as what it is, and unpublished; no call has a staging path. */
  private static final class InlineIsOnlyPublished extends Invariant {
    InlineIsOnlyPublished(World world) {
      super("I16", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      Optional<VolumeUse> usage = world.inlineUse(call.volume());
      if (usage.isEmpty()) {
        return;
      }
      if (call.verb() == Verb.STAGE || call.verb() == Verb.UNSTAGE) {
        violated(call + " was sent for an inline volume, which is not staged");
      } else if (call.staging() != null) {
        violated(call + " names a staging path, and its volume is an inline one");
      } else if (call.verb() == Verb.PUBLISH && !call.inline()) {
        violated(call + " does not say that its volume is an inline one");
      }
    }
  }

  /**
   * A use has one inline volume, of one id and at one path, which lives as long as its workload has
   * it: the mount that the host was told of is the same when it is told again, unless its server
   * had ended or somebody has taken it away.
   */
  private static final class InlineHasOneLife extends Invariant {
    private final Map<VolumeUse, SimKernel.Mount> lives = new TreeMap<>();

    InlineHasOneLife(World world) {
      super("I17", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      Optional<VolumeUse> usage = world.inlineUse(call.volume());
      boolean isOther =
          usage.isPresent() ? !call.path().equals(world.target(usage.get())) : call.inline();
      if (isOther) {
        violated(call + " makes " + call.volume() + ", a second inline volume of its use");
      }
      if (call.verb() == Verb.UNPUBLISH && world.kernel().isDead(call.path())) {
        usage.ifPresent(lives::remove);
      }
    }

    @Override
    public void moved() {
      // The workloads have ended with their host.
      lives.clear();
    }

    @Override
    public void released(VolumeUse usage) {
      lives.remove(usage);
    }

    @Override
    public void told(VolumeUse usage, MountedVolume volume) {
      List<SimKernel.Mount> stack = world.kernel().at(world.target(usage));
      if (world.inlineUse(world.handle(usage)).isEmpty() || stack.isEmpty()) {
        return;
      }
      SimKernel.Mount before = lives.get(usage);
      boolean isKept = before != null && world.host().holding().contains(usage);
      if (isKept && !stack.contains(before)) {
        violated(usage + " has " + before + ", and was told of another life of its inline volume");
      }
      if (!isKept) {
        stack.stream()
            .filter(mount -> !mount.foreign)
            .findFirst()
            .ifPresent(life -> lives.put(usage, life));
      }
    }
  }

  /**
   * What a plugin has made of an inline volume, or may be making of it, is on record, so that it is
   * found again or undone. When its end is told, the plugin has nothing of it.
   */
  private static final class InlineIsOnRecord extends Invariant {
    InlineIsOnRecord(World world) {
      super("I18", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      Optional<VolumeUse> usage = world.inlineUse(call.volume());
      if (call.verb() == Verb.PUBLISH && usage.isPresent() && !world.isOnRecord(usage.get())) {
        violated(call + " was sent, and nothing is on record");
      }
    }

    @Override
    public void failed(VolumeUse usage, Throwable failure) {
      check(usage);
    }

    @Override
    public void released(VolumeUse usage) {
      if (isInline(usage)) {
        leftOf(usage)
            .ifPresent(
                left -> violated("the host was told that " + usage + " is no more, " + left));
      }
    }

    @Override
    public void died() {
      world.host().all().forEach(it -> check(it.usage()));
    }

    private void check(VolumeUse usage) {
      if (isInline(usage) && !world.isOnRecord(usage)) {
        leftOf(usage).ifPresent(left -> violated("nothing is on record of " + usage + ", " + left));
      }
    }

    private boolean isInline(VolumeUse usage) {
      return world.inlineUse(world.handle(usage)).isPresent();
    }

    private Optional<String> leftOf(VolumeUse usage) {
      SimPlugin plugin = world.plugin(world.host().wanted(usage).identity().plugin());
      MountPath target = world.target(usage);
      return plugin.hasSession(target)
          ? Optional.of("and the plugin has made its inline volume")
          : plugin.isWorkingOn(Verb.PUBLISH, target)
              ? Optional.of("and the plugin may still be making its inline volume")
              : Optional.empty();
    }
  }

  /**
   * A context that a refresh was told to have brought is in force, and while the plugin may still
   * be publishing with one context it gets no other.
   */
  private static final class RefreshIsInForce extends Invariant {
    RefreshIsInForce(World world) {
      super("I19", world);
    }

    @Override
    public void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {
      if (call.verb() != Verb.PUBLISH) {
        return;
      }
      for (SimPlugin.Call working : plugin.working()) {
        if (working.isSameAs(call) && !working.context().equals(call.context())) {
          violated(call + " was sent while the plugin may still do so with another context");
        }
      }
    }

    @Override
    public void refreshed(VolumeUse usage, String context) {
      SimPlugin plugin = world.plugin(world.host().wanted(usage).identity().plugin());
      if (!plugin.inForce(world.target(usage)).filter(context::equals).isPresent()) {
        violated(
            "the host was told that " + usage + " is refreshed, and the context is not in force");
      }
    }
  }

  /** Nothing at or below a mount is touched, as it may hang. */
  private static final class HandsOffMounts extends Invariant {
    HandsOffMounts(World world) {
      super("H6", world);
    }

    @Override
    public void looked(String what, Path path) {
      for (SimKernel.Mount mount : world.kernel().mounts()) {
        if (mount.wasSeen() && path.startsWith(mount.path.toPath())) {
          violated(what + " " + path + " touches " + mount);
        }
      }
    }
  }
}
