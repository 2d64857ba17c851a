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
 * Records the topologies from which volumes can be reached, as their plugins report them. An answer
 * without topologies changes nothing: a plugin may omit them, which cannot be distinguished from
 * everywhere. A registered volume keeps the topologies of its description, which its host may
 * repeat. Does not wait: the record is changed when no other work runs for the volume, and if that
 * fails, the next answer has the same topologies.
 */
final class VolumePlaces {

  private final OperationRunner runner;
  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final Consumer<OperatorMessage> told;

  /** The volumes whose topologies are being recorded. */
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

  /** Handles a plugin's answer about a volume. */
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
                "recording the topologies of volume '" + key + "'",
                () -> change(known, now),
                failure -> {})
            .whenComplete((done, failure) -> changing.remove(key));
  }

  private Done change(CatalogVolume known, Set<Topology> now) {
    Subject subject = Subject.of("recording the topology of", ControllerCalls.identity(known));
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

  /** Handles the entries of a plugin's list as it is read. */
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

  /** Handles a page of a plugin's list. */
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

  /**
   * The recorded volumes of a plugin; empty if the store cannot be read, so that the list
   * continues.
   */
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
   * Queries the topologies of a modified volume, if the plugin can report them: the answer to the
   * modification does not contain them.
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
