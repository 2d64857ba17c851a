package io.csi4j.testkit.effects;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;

/** No effect at all. */
final class NoEffects implements NodeEffects {

  @Override
  public void stage(VolumeId volume, PluginPath staging) {}

  @Override
  public void unstage(VolumeId volume, PluginPath staging) {}

  @Override
  public void publish(Publication publication) {}

  @Override
  public void unpublish(VolumeId volume, PluginPath target) {}
}
