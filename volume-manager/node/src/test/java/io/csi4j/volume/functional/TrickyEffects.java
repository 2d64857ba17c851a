package io.csi4j.volume.functional;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.effects.NodeEffects;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/** Effects of a plugin on its node that a test can bend: it says OK and does something else. */
final class TrickyEffects implements NodeEffects {

  /** Something done instead of staging or unstaging. */
  interface AtStaging {
    void run(VolumeId volume, PluginPath path) throws IOException;
  }

  /** Something done instead of publishing. */
  interface AtTarget {
    void run(Publication publication) throws IOException;
  }

  private final NodeEffects honest;
  private final AtomicReference<AtStaging> stage = new AtomicReference<>();
  private final AtomicReference<AtTarget> publish = new AtomicReference<>();
  private final AtomicReference<AtStaging> unpublish = new AtomicReference<>();
  private final AtomicReference<AtStaging> unstage = new AtomicReference<>();

  TrickyEffects(NodeEffects honest) {
    this.honest = honest;
  }

  /** What it would do. */
  NodeEffects honest() {
    return honest;
  }

  /** Does this instead of staging from now on. */
  void whenStaging(AtStaging instead) {
    stage.set(instead);
  }

  /** Does this instead of publishing from now on. */
  void whenPublishing(AtTarget instead) {
    publish.set(instead);
  }

  /** Does this instead of unpublishing from now on. */
  void whenUnpublishing(AtStaging instead) {
    unpublish.set(instead);
  }

  /** Does this instead of unstaging from now on. */
  void whenUnstaging(AtStaging instead) {
    unstage.set(instead);
  }

  /** Does what it says again. */
  void reform() {
    stage.set(null);
    publish.set(null);
    unpublish.set(null);
    unstage.set(null);
  }

  @Override
  public void stage(VolumeId volume, PluginPath staging) throws IOException {
    AtStaging instead = stage.get();
    if (instead == null) {
      honest.stage(volume, staging);
    } else {
      instead.run(volume, staging);
    }
  }

  @Override
  public void unstage(VolumeId volume, PluginPath staging) throws IOException {
    AtStaging instead = unstage.get();
    if (instead == null) {
      honest.unstage(volume, staging);
    } else {
      instead.run(volume, staging);
    }
  }

  @Override
  public void publish(Publication publication) throws IOException {
    AtTarget instead = publish.get();
    if (instead == null) {
      honest.publish(publication);
    } else {
      instead.run(publication);
    }
  }

  @Override
  public void unpublish(VolumeId volume, PluginPath target) throws IOException {
    AtStaging instead = unpublish.get();
    if (instead == null) {
      honest.unpublish(volume, target);
    } else {
      instead.run(volume, target);
    }
  }
}
