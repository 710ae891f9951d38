package io.github.redisstreams.observation;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;

/**
 * Makes the spans of handlers. Those of calls with several entries are linked to the
 * spans that these were sent in, of which one at most can be the parent.
 */
public class StreamListenerTracingHandler extends PropagatingReceiverTracingObservationHandler<StreamListenerContext> {

	/**
	 * Create the handler.
	 * @param tracer makes spans
	 * @param propagator reads the trace context of an entry
	 */
	public StreamListenerTracingHandler(Tracer tracer, Propagator propagator) {
		super(tracer, propagator);
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof StreamListenerContext;
	}

	@Override
	public Span.Builder customizeExtractedSpan(StreamListenerContext context, Span.Builder builder) {
		if (context.getEntries().size() > 1) {
			TraceParent.links(context.getEntries()).forEach((sent) -> builder.addLink(new Link(contextOf(sent))));
		}
		return builder;
	}

	private TraceContext contextOf(TraceParent sent) {
		return getTracer().traceContextBuilder()
			.traceId(sent.traceId())
			.spanId(sent.spanId())
			.sampled(sent.sampled())
			.build();
	}

}
