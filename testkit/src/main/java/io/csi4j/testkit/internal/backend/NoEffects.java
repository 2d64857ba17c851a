package io.csi4j.testkit.internal.backend;

import io.csi4j.client.PluginPath;
import io.csi4j.client.VolumeId;
import io.csi4j.testkit.NodeEffects;

/** No effect at all. */
public final class NoEffects implements NodeEffects {

  @Override
  public void stage(VolumeId volume, PluginPath staging) {}

  @Override
  public void unstage(VolumeId volume, PluginPath staging) {}

  @Override
  public void publish(Publication publication) {}

  @Override
  public void unpublish(VolumeId volume, PluginPath target) {}
}
