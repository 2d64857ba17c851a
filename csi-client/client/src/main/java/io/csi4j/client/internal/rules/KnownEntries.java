package io.csi4j.client.internal.rules;

import io.csi4j.client.internal.rules.MessageRules.Field;
import io.csi4j.client.internal.text.TextEntries;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;

/**
 * Which entries of a request are in order, as was found when its values were made: they are not
 * read again each time that it is sent.
 */
public enum KnownEntries {
  /** None: all are read. */
  NONE,
  /** Those of its contexts. */
  CONTEXTS,
  /** Those of its contexts and its secrets. */
  CONTEXTS_AND_SECRETS;

  /** Those of {@code request}, a value of the host. */
  public static KnownEntries of(Object request) {
    if (request instanceof NodePublishVolumeRequest publish) {
      return of(publish.publishContext(), publish.volumeContext(), publish.secrets());
    } else if (request instanceof NodeStageVolumeRequest stage) {
      return of(stage.publishContext(), stage.volumeContext(), stage.secrets());
    }
    return NONE;
  }

  private static KnownEntries of(PublishContext publish, VolumeContext volume, Secrets secrets) {
    if (!TextEntries.arePlain(publish.reveal(), RequestChecks.TOTAL_LIMIT)
        || !TextEntries.arePlain(volume.reveal(), RequestChecks.TOTAL_LIMIT)) {
      return NONE;
    }
    return secrets.isEmpty() ? CONTEXTS_AND_SECRETS : CONTEXTS;
  }

  /** Whether those of this field are. */
  boolean include(Field field) {
    return switch (this) {
      case NONE -> false;
      case CONTEXTS -> field.context();
      case CONTEXTS_AND_SECRETS -> field.context() || field.secret();
    };
  }
}
