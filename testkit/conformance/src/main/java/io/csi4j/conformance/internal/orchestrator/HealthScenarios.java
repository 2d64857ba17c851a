package io.csi4j.conformance.internal.orchestrator;

import static io.csi4j.conformance.internal.orchestrator.Play.workload;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry.Status;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Volumes and storage that are not well for a while. An orchestrator may ask for health or not, and
 * may act on it or not: what it asks has to be lawful, and it has to be able to go on afterwards.
 */
final class HealthScenarios {

  private static final VolumeHealthEntry SLOW =
      VolumeHealthEntry.of(Status.DEGRADED, HealthReason.of("DiskSlow"), "one disk is slow");

  private static final VolumeHealthEntry OFFLINE =
      VolumeHealthEntry.of(
          Status.INACCESSIBLE, HealthReason.of("PoolOffline"), "the pool is offline");

  private static final StorageHealthEntry UNREACHABLE =
      StorageHealthEntry.of(
          StorageHealthEntry.Status.STORAGE_UNREACHABLE.number(),
          HealthReason.of("NetworkDown"),
          "no path to the storage",
          Optional.empty());

  private HealthScenarios() {}

  static void addTo(Scenarios all) {
    all.add("health/volume-sickens-and-recovers", HealthScenarios::sickensAndRecovers);
    all.add("health/volume-sickens-and-recovers-on-1.12", HealthScenarios::sickensAndRecovers);
    all.add("health/sick-volume-while-the-plugin-is-upgraded", HealthScenarios::upgraded);
    all.add("health/sick-volume-cannot-be-staged", HealthScenarios::cannotBeStaged);
    all.add("health/backend-goes-away", HealthScenarios::backendGoesAway);
  }

  private static void sickensAndRecovers(Play play) {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    play.mount(one);
    play.plugin().health(one.volume(), SLOW, OFFLINE);
    // Whether a sick volume is mounted once more is the orchestrator's choice.
    OrchestratorReply<Path> ignored = play.tryMount(two);
    play.plugin().clearHealth();
    Path path = play.mount(two);
    play.expect(ignored.value().map(path::equals).orElse(true), "Its path changed meanwhile.");
    play.mount(one);
    play.expectReady(one);
    play.unmount(two);
  }

  private static void upgraded(Play play) {
    MountOrder one = play.order();
    MountOrder two = workload(2, one);
    Path path = play.mount(one);
    play.plugin().health(one.volume(), SLOW);
    play.upgrade(PluginShape.full112And113());
    play.upgrade(PluginShape.full113());
    play.plugin().clearHealth();
    play.mount(two);
    play.mount(one);
    play.expectPublished(one, path);
    play.unmount(two);
  }

  private static void cannotBeStaged(Play play) {
    MountOrder order = play.order();
    play.plugin().health(order.volume(), OFFLINE);
    play.breakEach(
        CsiOperation.NODE_STAGE_VOLUME, Fault.fail(StatusCode.INTERNAL, "the pool is offline"));
    // It may ask the plugin and fail, or refuse at once, as it knows of the volume.
    play.expectNoMount(order, "nothing could be staged.");
    play.plugin().clearFaults();
    play.plugin().clearHealth();
    play.mount(order);
    play.expectReady(order);
  }

  private static void backendGoesAway(Play play) {
    MountOrder old = play.order(1);
    MountOrder fresh = play.order(2);
    Path path = play.mount(old);
    play.plugin().storageHealth(UNREACHABLE);
    play.breakEach(CsiOperation.NODE_STAGE_VOLUME, Fault.fail(StatusCode.UNAVAILABLE, "no path"));
    // It may ask the plugin and fail, or refuse at once, as it knows of the storage.
    play.expectNoMount(fresh, "nothing could be staged.");
    play.plugin().clearFaults();
    play.expectPublished(old, path);
    play.plugin().clearHealth();
    play.mount(fresh);
    play.unmount(fresh);
    play.unmount(old);
  }
}
