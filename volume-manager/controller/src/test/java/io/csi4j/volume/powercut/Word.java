package io.csi4j.volume.powercut;

/**
 * A word about one thing that a host keeps, such as a use or a claim.
 *
 * @param thing which
 * @param kind what the word means
 * @param value how the thing is, or is to be
 */
record Word(String thing, Kind kind, String value) {

  /** The value of a thing of which nothing is there. */
  static final String GONE = "gone";

  /** The value of a thing on its way from one value to another. */
  static final String UNSETTLED = "unsettled";

  /** The meanings of a word. */
  enum Kind {
    /** The host asks for a value. From now on the thing has the one before, or this one. */
    BEGUN,
    /** The host was told that the thing has this value. A power cut must not change that. */
    DONE,
    /** The host was told that nothing was changed, and nothing will. */
    REFUSED,
    /** The host does not know the value, and nothing is promised. */
    UNKNOWN
  }

  static Word begun(String thing, String value) {
    return new Word(thing, Kind.BEGUN, value);
  }

  static Word done(String thing, String value) {
    return new Word(thing, Kind.DONE, value);
  }

  static Word refused(String thing) {
    return new Word(thing, Kind.REFUSED, "");
  }

  static Word unknown(String thing) {
    return new Word(thing, Kind.UNKNOWN, "");
  }
}
