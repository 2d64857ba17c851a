package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Takes on record from where volumes can be reached, as their plugins report it. An answer without
 * a place changes nothing: a plugin may leave the places out, and that is not told apart from
 * everywhere. A volume that was registered keeps the places of its description, which its host may
 * repeat. Does not wait: the record is changed when no other work runs for the volume, and the next
 * answer says the same if that fails.
 */
final class VolumePlaces {

  private final OperationRunner runner;
  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final Consumer<OperatorMessage> told;

  /** The volumes whose places are being taken on record. */
  private final Set<VolumeKey> changing = ConcurrentHashMap.newKeySet();

  VolumePlaces(
      OperationRunner runner,
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      Consumer<OperatorMessage> told) {
    this.runner = runner;
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.told = told;
  }

  /** Takes in what a plugin has answered about a volume. */
  void saw(CatalogVolume known, Volume seen) {
    Set<Topology> now = new LinkedHashSet<>(seen.accessibleTopology());
    if (known.origin() == CatalogVolume.Origin.REGISTERED
        || now.isEmpty()
        || now.equals(known.topologies())
        || !seen.id().equals(known.id())
        || !changing.add(known.key())) {
      return;
    }
    VolumeKey key = known.key();
    var unused =
        runner
            .begin(
                Operation.INSPECT,
                Optional.of(key),
                new TreeSet<>(Set.of(key)),
                "taking the places of volume '" + key + "' on record",
                () -> change(known, now),
                failure -> {})
            .whenComplete((done, failure) -> changing.remove(key));
  }

  private Done change(CatalogVolume known, Set<Topology> now) {
    Subject subject =
        Subject.of("taking on record from where to reach", ControllerCalls.identity(known));
    catalog.workIfFree(
        subject,
        known.key(),
        work -> {
          work.entry()
              .filter(record -> record.volume().filter(it -> isSame(it, known)).isPresent())
              .ifPresent(record -> change(subject, work, record, now));
          return Done.DONE;
        });
    return Done.DONE;
  }

  /** Whether the record is still the one that the answer was compared with. */
  private static boolean isSame(CatalogVolume there, CatalogVolume known) {
    return there.id().equals(known.id()) && there.topologies().equals(known.topologies());
  }

  private void change(Subject subject, VolumeWork work, CatalogEntry record, Set<Topology> now) {
    CatalogVolume before = record.volume().orElseThrow();
    CatalogVolume after = before.toBuilder().topologies(now).build();
    work.end(subject, VolumeModification.as(after, record));
    told.accept(
        Messages.of(
            OperatorCode.VOLUME_TOPOLOGY_CHANGED,
            subject,
            "it can be reached from "
                + now
                + " now, and from "
                + (before.topologies().isEmpty() ? "everywhere" : before.topologies())
                + " before"));
  }

  /** Takes in what a list of a plugin says of volumes, as far as it is read. */
  Listing<VolumeEntry> following(PluginId plugin, Listing<VolumeEntry> list) {
    return () -> {
      Iterator<VolumeEntry> all = list.iterator();
      Map<VolumeId, CatalogVolume> known = known(plugin);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public VolumeEntry next() {
          VolumeEntry entry = all.next();
          saw(known, entry);
          return entry;
        }
      };
    };
  }

  /** Takes in what a page of a list says of volumes. */
  void saw(PluginId plugin, List<VolumeEntry> page) {
    Map<VolumeId, CatalogVolume> known = known(plugin);
    page.forEach(entry -> saw(known, entry));
  }

  private void saw(Map<VolumeId, CatalogVolume> known, VolumeEntry entry) {
    CatalogVolume volume = known.get(entry.volume().id());
    if (volume != null) {
      saw(volume, entry.volume());
    }
  }

  /** The volumes of a plugin on record; none if the store cannot be asked, as the list goes on. */
  private Map<VolumeId, CatalogVolume> known(PluginId plugin) {
    Map<VolumeId, CatalogVolume> known = new HashMap<>();
    try {
      for (CatalogVolume each : catalog.volumes()) {
        if (each.plugin().equals(plugin)) {
          known.put(each.id(), each);
        }
      }
    } catch (ControllerException storeDown) {
      return Map.of();
    }
    return known;
  }

  /**
   * Asks a plugin from where a volume can be reached that was modified, if the plugin can say that:
   * the answer to the modification does not.
   */
  void ask(CatalogVolume volume) {
    Subject subject = Subject.of("reading", ControllerCalls.identity(volume));
    var unused =
        controllers
            .facts(volume.plugin(), subject)
            .thenCompose(
                facts ->
                    facts.offers(ControllerCapability.GET_VOLUME)
                            && facts
                                .plugin()
                                .offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)
                        ? controllers.call(calls.inspect(volume)).thenApply(Optional::of)
                        : CompletableFuture.completedFuture(Optional.<VolumeEntry>empty()))
            .thenAccept(seen -> seen.ifPresent(entry -> saw(volume, entry.volume())));
  }
}
