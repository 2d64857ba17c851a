package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.controller.VolumePage;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads what a storage system says that it has, on the thread of the caller. */
final class Lists {

  private final Controllers controllers;
  private final VolumeCalls calls;

  Lists(Controllers controllers, VolumeCalls calls) {
    this.controllers = controllers;
    this.calls = calls;
  }

  /** All volumes, page by page. */
  public Listing<VolumeEntry> volumes(PluginId plugin) {
    return listing(plugin, "volumes", it -> it.controller().volumes());
  }

  /** All snapshots, page by page; secrets are asked for each time that it is read. */
  public Listing<Snapshot> snapshots(PluginId plugin, Optional<SecretsReference> reference) {
    return listing(
        plugin,
        "snapshots",
        it ->
            it.controller()
                .snapshots(
                    ListSnapshotsRequest.builder().secrets(secrets(plugin, reference)).build()));
  }

  private Secrets secrets(PluginId plugin, Optional<SecretsReference> reference) {
    return StepWait.on(
        controllers.secrets(
            plugin,
            calls.secretsOf(reference),
            CsiOperation.LIST_SNAPSHOTS,
            subject(plugin, "snapshots")));
  }

  /** One page of the volumes. */
  public VolumePage page(PluginId plugin, PageRequest wanted) {
    Subject subject = subject(plugin, "volumes");
    ListVolumesRequest.Builder request =
        ListVolumesRequest.builder().maxEntries(wanted.maxEntries());
    wanted.token().ifPresent(request::startingToken);
    CsiPlugin connected = StepWait.on(controllers.connected(plugin, subject));
    return told(subject, () -> connected.controller().listVolumes(request.build()));
  }

  private <T> Listing<T> listing(
      PluginId plugin, String what, Function<CsiPlugin, Listing<T>> begin) {
    Subject subject = subject(plugin, what);
    return () -> {
      CsiPlugin connected = StepWait.on(controllers.connected(plugin, subject));
      Iterator<T> all = begin.apply(connected).iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return told(subject, all::hasNext);
        }

        @Override
        public T next() {
          return told(subject, all::next);
        }
      };
    };
  }

  private static Subject subject(PluginId plugin, String what) {
    return Subject.of("listing the " + what + " of plugin '" + plugin + "'");
  }

  private static <T> T told(Subject subject, Supplier<T> step) {
    try {
      return step.get();
    } catch (CsiException failed) {
      throw typed(subject, failed);
    }
  }

  private static ControllerException typed(Subject subject, CsiException failed) {
    if (failed.code() == StatusCode.ABORTED) {
      return ControllerFailures.failed(
          Outcome.REFUSED, OperatorCode.LISTING_TOKEN_EXPIRED, subject, "", failed);
    }
    if (failed instanceof CsiAnswerException answer
        && answer.violations().stream().anyMatch(each -> each.rule() == Rule.ENDLESS)) {
      return new ControllerException(
          Outcome.REFUSED,
          Messages.of(
              OperatorCode.LISTING_ENDLESS, subject, ControllerFailures.text(answer.violations())),
          answer.violations(),
          answer);
    }
    return ControllerFailures.of(subject, failed);
  }
}
