package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.StrayUse;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.CleanupPlan;
import io.csi4j.volume.node.CleanupPlan.Action;
import io.csi4j.volume.node.LiveMount;
import io.csi4j.volume.node.PathStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The steps that give a node what its host wants; a pure decision. */
final class Reconciling {

  private Reconciling() {}

  /**
   * One part of a plan.
   *
   * @param item what is to be done
   * @param identity with which volume, where it is known
   */
  record Planned(CleanupPlan.Item item, Optional<VolumeIdentity> identity) {}

  static List<Planned> plan(
      VolumeLayout layout,
      List<VolumeRecord> records,
      List<LiveMount> live,
      List<MountPath> unknown) {
    Map<UsageKey, LiveMount> wanted = new LinkedHashMap<>();
    live.forEach(mount -> wanted.put(mount.usage(), mount));
    Map<UsageKey, VolumeRecord> known = new HashMap<>();
    Map<String, UsageKey> directories = directories(wanted.keySet());
    for (VolumeRecord record : records) {
      for (UsageKey usage : record.targets().keySet()) {
        known.put(named(usage, directories), record);
      }
    }
    List<Planned> items = new ArrayList<>();
    for (VolumeRecord record : records) {
      for (TargetRecord target : record.targets().values()) {
        boolean isWanted = wanted.containsKey(named(target.usage(), directories));
        if (!isWanted) {
          items.add(
              new Planned(
                  item(Action.RELEASE, layout, record, target.usage(), "the host does not want it"),
                  Optional.of(record.identity())));
        }
      }
      if (record.targets().isEmpty()) {
        items.add(
            new Planned(
                new CleanupPlan.Item(
                    Action.RELEASE,
                    Optional.of(record.identity().plugin()),
                    Optional.empty(),
                    layout.staging(record.identity()).toPath(),
                    new Part("nobody uses the volume any more")),
                Optional.of(record.identity())));
      }
    }
    for (LiveMount mount : wanted.values()) {
      Optional<VolumeRecord> record = Optional.ofNullable(known.get(mount.usage()));
      boolean isThere =
          record
              .flatMap(found -> found.target(mount.usage()))
              .filter(target -> target.path().is(PathStatus.PRESENT))
              .isPresent();
      if (!isThere) {
        items.add(new Planned(missing(layout, record, mount), Optional.empty()));
      }
    }
    for (MountPath path : unknown) {
      items.add(
          new Planned(
              new CleanupPlan.Item(
                  Action.LEAVE,
                  Optional.empty(),
                  Optional.empty(),
                  path.toPath(),
                  new Part("nobody can say whose this mount is")),
              Optional.empty()));
    }
    return items;
  }

  /** These uses by the names of their directories. */
  static Map<String, UsageKey> directories(Collection<UsageKey> uses) {
    Map<String, UsageKey> directories = new HashMap<>();
    uses.forEach(usage -> directories.put(VolumeLayout.id(usage), usage));
    return directories;
  }

  /** The use itself, or the one whose directory is all that is left of it. */
  static UsageKey named(UsageKey usage, Map<String, UsageKey> directories) {
    return StrayUse.directory(usage).map(directories::get).orElse(usage);
  }

  private static CleanupPlan.Item missing(
      VolumeLayout layout, Optional<VolumeRecord> record, LiveMount mount) {
    String found =
        record
            .flatMap(known -> known.target(mount.usage()))
            .map(target -> "it is " + target.path().status())
            .orElse("it is not there");
    if (mount instanceof LiveMount.Wanted wanted) {
      return new CleanupPlan.Item(
          Action.MOUNT,
          Optional.of(wanted.request().plugin()),
          Optional.of(mount.usage()),
          layout
              .target(
                  new VolumeIdentity(wanted.request().plugin(), wanted.request().handle()),
                  mount.usage())
              .toPath(),
          new Part("the host wants it, and " + found));
    }
    Optional<PluginId> plugin = record.map(known -> known.identity().plugin());
    return new CleanupPlan.Item(
        Action.WAIT_FOR_HOST,
        plugin,
        Optional.of(mount.usage()),
        record
            .map(known -> layout.target(known.identity(), mount.usage()))
            .orElse(layout.volumes())
            .toPath(),
        new Part("the host wants it, " + found + ", and making it needs the whole request"));
  }

  private static CleanupPlan.Item item(
      Action action, VolumeLayout layout, VolumeRecord record, UsageKey usage, String reason) {
    return new CleanupPlan.Item(
        action,
        Optional.of(record.identity().plugin()),
        Optional.of(usage),
        layout.target(record.identity(), usage).toPath(),
        new Part(reason));
  }
}
