package io.csi4j.client.internal.rules;

import io.csi4j.client.internal.rules.MessageRules.Field;

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

  /** Whether those of this field are. */
  boolean include(Field field) {
    return switch (this) {
      case NONE -> false;
      case CONTEXTS -> field.context();
      case CONTEXTS_AND_SECRETS -> field.context() || field.secret();
    };
  }
}
