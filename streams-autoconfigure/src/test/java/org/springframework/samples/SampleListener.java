package org.springframework.samples;

import io.github.redisstreams.annotation.StreamListener;

/**
 * A listener in a package that looks like one of Spring itself, and is no component.
 */
public class SampleListener {

	@StreamListener("events")
	void handle(String payload) {
	}

}
