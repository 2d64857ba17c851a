package io.csi4j.client.internal.rules;

import io.csi4j.client.internal.rules.MessageRules.Field;

/**
 * The entries of a request that were validated when the host created them. They are not checked
 * again each time the request is sent.
 */
public enum KnownEntries {
  /** None: all entries are checked. */
  NONE,
  /** The entries of the contexts. */
  CONTEXTS,
  /** The entries of the contexts and the secrets. */
  CONTEXTS_AND_SECRETS;

  /** Returns whether the entries of this field are included. */
  boolean include(Field field) {
    return switch (this) {
      case NONE -> false;
      case CONTEXTS -> field.context();
      case CONTEXTS_AND_SECRETS -> field.context() || field.secret();
    };
  }
}
