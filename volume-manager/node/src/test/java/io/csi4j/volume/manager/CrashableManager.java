package io.csi4j.volume.manager;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.state.JournalSettings;
import java.util.List;

/**
 * An open volume manager that tells a test which point it has come to, so that it can be killed.
 */
public final class CrashableManager implements AutoCloseable {

  private final OpenedManager opened;

  private CrashableManager(OpenedManager opened) {
    this.opened = opened;
  }

  /** Opens a manager of the volumes below this directory. */
  public static CrashableManager open(
      MountPath root,
      List<PluginBinding> plugins,
      ManagerSettings settings,
      CrashPoint.Listener points) {
    return new CrashableManager(
        OpenedManager.open(
            new OpenedManager.Options(
                root, plugins, List.of(), settings, JournalSettings.defaults(), null),
            points));
  }

  /** The engine of the manager. */
  public VolumeEngine engine() {
    return opened.engine();
  }

  @Override
  public void close() {
    opened.close();
  }
}
