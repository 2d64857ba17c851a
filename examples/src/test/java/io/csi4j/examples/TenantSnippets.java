package io.csi4j.examples;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.workload.TaskMounts;
import io.csi4j.volume.workload.TaskMounts.BindMount;
import java.time.Clock;
import java.util.Map;

/** The code blocks of docs/tenants.md, each between a mark with its name and one at its end. */
final class TenantSnippets {

  private TenantSnippets() {}

  static VolumePermission permission(Map<VolumeIdentity, Namespace> owners) {
    // snippet: permission
    VolumePermission permission = wish -> // who asks, for which volume; what the host knows decides
        wish.volume()
                .map(volume -> wish.usage().volume().namespace().equals(owners.get(volume)))
                .orElse(true); // a claim is made by the host's name, which has the namespace
    // end
    return permission;
  }

  static ManagerSettings settings(VolumePermission permission) {
    // snippet: settings
    ManagerSettings settings = ManagerSettings.builder().permission(permission).build();
    // end
    return settings;
  }

  static ClaimCoordinator claims(
      ClaimBook book,
      StorageController storage,
      Clock clock,
      ClaimEvent.Listener listener,
      VolumePermission permission) {
    // snippet: claims
    ClaimCoordinator claims = new ClaimCoordinator(book, storage, clock, listener, permission);
    // end
    return claims;
  }

  static ManagerSettings flags() {
    // snippet: flags
    MountFlagPolicy policy =
        MountFlagPolicy.any()
            .withAllowed("noatime", "discard") // nothing else that a tenant may ask for
            .withAdded("nosuid", "nodev"); // what every mount gets
    ManagerSettings settings = ManagerSettings.builder().mountFlags(policy).build();
    // end
    return settings;
  }

  static void hold(VolumeManager manager, TaskMounts mounts, WorkloadSnippets.Container container) {
    // snippet: hold
    try (TaskMounts.Held held = mounts.hold(manager.root(), Mounts.system())) {
      for (BindMount bind : held.mounts().binds()) { // from /proc/PID/fd/N
        container.bind(bind.source().toPath(), bind.destination().toPath(), bind.options());
      }
    }
    // end
  }

  static void subPath(
      VolumeManager manager,
      MountPath mounted,
      String wish,
      WorkloadSnippets.Container container,
      BindMount bind) {
    // snippet: sub-path
    try (OpenPath volume = Mounts.system().beneath(manager.root()).open(mounted);
        OpenPath part = volume.resolve(wish)) { // "tenants/7": follows no link, stays inside
      container.bind(part.throughProc().toPath(), bind.destination().toPath(), bind.options());
    }
    // end
  }
}
